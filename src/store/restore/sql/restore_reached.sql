-- The first member accepts writes: it cannot be undone any more. How far it came is what its agent said.
-- scope: organization :organization
UPDATE restore_job r SET restored_at = now(), reached_lsn = m.reached_lsn, reached_at = m.reached_at
FROM restore_member m
WHERE r.org_id = :organization AND r.id = :restore AND r.restored_at IS NULL AND m.restore_id = r.id AND m.member_id = r.first_member
