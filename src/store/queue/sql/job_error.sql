-- The try ended in an error: gives the job back; when it is tried again was written before the try. Says whether the reason is a new one.
-- scope: organization :organization
UPDATE job j SET waits_for = :why, lease_until = NULL
FROM (SELECT id, waits_for FROM job WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = :job) before
WHERE j.org_id IS NOT DISTINCT FROM :organization::bytea AND j.id = before.id AND j.lease_epoch = :epoch::bigint AND j.state = 'RUNNING'
RETURNING before.waits_for IS DISTINCT FROM :why AS is_news
