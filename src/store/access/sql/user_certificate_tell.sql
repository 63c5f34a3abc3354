-- Notes that it was told that a certificate ends soon, unless it was told or revoked before.
-- scope: organization :organization
UPDATE certificate c SET told_at = now() FROM authority a
WHERE a.id = c.authority AND a.org_id = :organization AND c.serial = :serial AND c.told_at IS NULL AND c.revoked_at IS NULL
