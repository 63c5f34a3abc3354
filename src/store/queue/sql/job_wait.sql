-- The step is not done yet: gives the job back for $5 milliseconds, or until something is told about its subject. Says whether the reason is a new one.
-- scope: organization $1
UPDATE job j SET waits_for = $4, failures = 0, lease_until = NULL, next_run_at = clock_timestamp() + $5::bigint * interval '1 millisecond'
FROM (SELECT id, waits_for FROM job WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = $2) before
WHERE j.org_id IS NOT DISTINCT FROM $1::bytea AND j.id = before.id AND j.lease_epoch = $3::bigint AND j.state = 'RUNNING'
RETURNING before.waits_for IS DISTINCT FROM $4
