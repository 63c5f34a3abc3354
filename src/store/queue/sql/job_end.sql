-- The job is over: $4 is DONE or FAILED, $5 why it failed. Nobody who lost the lease can say so.
-- scope: organization $1
UPDATE job SET state = $4, waits_for = $5, finished_at = clock_timestamp(), failures = 0, lease_until = NULL,
    step_number = CASE WHEN $4 = 'DONE' THEN step_count ELSE step_number END
WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = $2 AND lease_epoch = $3::bigint AND state = 'RUNNING'
RETURNING 1
