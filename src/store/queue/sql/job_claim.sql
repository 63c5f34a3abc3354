-- Takes a job for :lease_ms milliseconds, when its step is still :step and it is free, due and the first of its subject; those that wait for a maintenance window let others pass. What a failure costs is written before the try, so that a worker that dies pays for it. :has_news: it was told something, so it need not be due. :deadline_s: deadline of the step. :backoff_first_ms and :backoff_most_ms: first and longest delay.
-- scope: organization :organization
UPDATE job SET state = 'RUNNING', try = try + 1, failures = failures + 1,
    lease_epoch = lease_epoch + 1, lease_owner = :worker, lease_until = now() + :lease_ms::bigint * interval '1 millisecond',
    next_run_at = now() + backoff(failures, :backoff_first_ms::bigint, :backoff_most_ms::bigint),
    started_at = coalesce(started_at, now()), step_started_at = coalesce(step_started_at, now()),
    step_deadline_at = coalesce(step_deadline_at, now() + :deadline_s::bigint * interval '1 second')
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = (
    SELECT j.id FROM job j
    WHERE j.org_id IS NOT DISTINCT FROM :organization::bytea AND j.id = :job AND j.step = :step AND j.state IN ('QUEUED', 'RUNNING')
      AND (j.next_run_at <= now() OR (:has_news::boolean AND j.failures = 0))
      AND (j.lease_until IS NULL OR j.lease_until < now())
      AND NOT EXISTS (SELECT FROM job e WHERE e.subject = j.subject AND e.seq < j.seq AND e.state IN ('QUEUED', 'RUNNING') AND e.step <> 'wait-window')
    FOR UPDATE SKIP LOCKED)
RETURNING lease_epoch, encode(project_id, 'hex') AS project, encode(subject, 'hex') AS subject, kind, subject_name, generation, payload::text, step,
    step_number, step_count, try, failures
