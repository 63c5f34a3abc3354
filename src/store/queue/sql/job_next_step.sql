-- The step is done, on to the next one, $4. With $7 the caller goes on with it: the lease and what a failure of that step costs are written with it.
-- scope: organization $1
UPDATE job SET step = $4, step_number = $5::int, step_count = $6::int, waits_for = NULL, overdue_at = NULL,
    step_started_at = clock_timestamp(), step_deadline_at = clock_timestamp() + $8::bigint * interval '1 second',
    try = CASE WHEN $7::boolean THEN 1 ELSE 0 END, failures = CASE WHEN $7::boolean THEN 1 ELSE 0 END,
    lease_until = CASE WHEN $7::boolean THEN clock_timestamp() + $9::bigint * interval '1 millisecond' END,
    next_run_at = clock_timestamp() + CASE WHEN $7::boolean THEN $10::bigint * interval '1 millisecond' ELSE interval '0' END
WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = $2 AND lease_epoch = $3::bigint AND state = 'RUNNING'
RETURNING 1
