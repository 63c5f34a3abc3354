-- Marks a job as overdue, once for each step: nothing when another worker just did, or while its step runs.
-- scope: organization :organization
UPDATE job SET overdue_at = now()
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = (
    SELECT j.id FROM job j
    WHERE j.org_id IS NOT DISTINCT FROM :organization::bytea AND j.id = :job AND j.state IN ('QUEUED', 'RUNNING') AND j.overdue_at IS NULL AND j.step_deadline_at < now()
    FOR UPDATE SKIP LOCKED)
RETURNING kind, step, try, coalesce(waits_for, '') AS waits_for, encode(subject, 'hex') AS subject, subject_name,
    extract(epoch FROM now() - step_started_at)::bigint AS late_s
