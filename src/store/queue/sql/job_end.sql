-- The job is over: :state is DONE or FAILED, :why why it failed. Nobody who lost the lease can say so.
-- scope: organization :organization
UPDATE job SET state = :state, waits_for = :why, finished_at = clock_timestamp(), failures = 0, lease_until = NULL,
    step_number = CASE WHEN :state = 'DONE' THEN step_count ELSE step_number END
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = :job AND lease_epoch = :epoch::bigint AND state = 'RUNNING'
RETURNING 1
