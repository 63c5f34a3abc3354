-- What members are told now; what they said before was about something else. An earlier restore of the same cluster, which failed with nothing to go back to, is
-- no longer what they are told.
-- scope: organization :organization
WITH told AS (UPDATE restore_job r SET phase = :phase, first_member = coalesce(:first::bytea, r.first_member), keeps_before = :keeps_before::boolean
              WHERE r.org_id = :organization AND r.id = :restore RETURNING r.id, r.target_id),
     earlier AS (UPDATE restore_job r SET phase = NULL FROM told t
                 WHERE r.org_id = :organization AND r.target_id = t.target_id AND r.id <> t.id AND r.phase IS NOT NULL)
DELETE FROM restore_member m USING told t WHERE m.org_id = :organization AND m.restore_id = t.id
