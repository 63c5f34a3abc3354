-- The step is not done yet: gives the job back for :wait_ms milliseconds, or until something is told about its subject. Says whether the reason is a new one.
-- scope: organization :organization
UPDATE job j SET waits_for = :why, failures = 0, lease_until = NULL, next_run_at = clock_timestamp() + :wait_ms::bigint * interval '1 millisecond'
FROM (SELECT id, waits_for FROM job WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = :job) before
WHERE j.org_id IS NOT DISTINCT FROM :organization::bytea AND j.id = before.id AND j.lease_epoch = :epoch::bigint AND j.state = 'RUNNING'
RETURNING before.waits_for IS DISTINCT FROM :why AS is_news
