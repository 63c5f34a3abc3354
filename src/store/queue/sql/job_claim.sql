-- Takes a job for $5 milliseconds, when its step is still $3 and it is free, due and the first of its subject; those that wait for a maintenance window let others pass. What a failure costs is written before the try, so that a worker that dies pays for it. $4: it was told something, so it need not be due. $6: deadline of the step. $7 and $8: first and longest delay.
-- scope: organization $1
UPDATE job SET state = 'RUNNING', try = try + 1, failures = failures + 1,
    lease_epoch = lease_epoch + 1, lease_owner = $9, lease_until = now() + $5::bigint * interval '1 millisecond',
    next_run_at = now() + backoff(failures, $7::bigint, $8::bigint),
    started_at = coalesce(started_at, now()), step_started_at = coalesce(step_started_at, now()),
    step_deadline_at = coalesce(step_deadline_at, now() + $6::bigint * interval '1 second')
WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = (
    SELECT j.id FROM job j
    WHERE j.org_id IS NOT DISTINCT FROM $1::bytea AND j.id = $2 AND j.step = $3 AND j.state IN ('QUEUED', 'RUNNING')
      AND (j.next_run_at <= now() OR ($4::boolean AND j.failures = 0))
      AND (j.lease_until IS NULL OR j.lease_until < now())
      AND NOT EXISTS (SELECT FROM job e WHERE e.subject = j.subject AND e.seq < j.seq AND e.state IN ('QUEUED', 'RUNNING') AND e.step <> 'wait-window')
    FOR UPDATE SKIP LOCKED)
RETURNING lease_epoch, encode(project_id, 'hex'), encode(subject, 'hex'), kind, subject_name, generation, payload::text, step,
    step_number, step_count, try, failures
