-- The step is done, on to the next one, :step. With :goes_on the caller goes on with it: the lease and what a failure of that step costs are written with it.
-- scope: organization :organization
UPDATE job SET step = :step, step_number = :number::int, step_count = :count::int, waits_for = NULL, overdue_at = NULL,
    step_started_at = clock_timestamp(), step_deadline_at = clock_timestamp() + :deadline_s::bigint * interval '1 second',
    try = CASE WHEN :goes_on::boolean THEN 1 ELSE 0 END, failures = CASE WHEN :goes_on::boolean THEN 1 ELSE 0 END,
    lease_until = CASE WHEN :goes_on::boolean THEN clock_timestamp() + :lease_ms::bigint * interval '1 millisecond' END,
    next_run_at = clock_timestamp() + CASE WHEN :goes_on::boolean THEN :backoff_first_ms::bigint * interval '1 millisecond' ELSE interval '0' END
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = :job AND lease_epoch = :epoch::bigint AND state = 'RUNNING'
RETURNING 1
