-- Marks a job as overdue, once for each step: nothing when another worker just did, or while its step runs.
-- scope: organization $1
UPDATE job SET overdue_at = now()
WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = (
    SELECT j.id FROM job j
    WHERE j.org_id IS NOT DISTINCT FROM $1::bytea AND j.id = $2 AND j.state IN ('QUEUED', 'RUNNING') AND j.overdue_at IS NULL AND j.step_deadline_at < now()
    FOR UPDATE SKIP LOCKED)
RETURNING kind, step, try, coalesce(waits_for, ''), encode(subject, 'hex'), subject_name,
    extract(epoch FROM now() - step_started_at)::bigint
