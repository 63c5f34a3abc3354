-- Has a job tried again at once: one that failed, if nothing came after it for the same subject, or one that is not finished and that nobody works on.
-- scope: organization :organization
UPDATE job SET state = CASE WHEN state = 'FAILED' THEN 'QUEUED' ELSE state END, finished_at = NULL, failures = 0, try = 0,
    waits_for = NULL, next_run_at = now(), step_started_at = NULL, step_deadline_at = NULL, overdue_at = NULL
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = (
    SELECT j.id FROM job j
    WHERE j.org_id IS NOT DISTINCT FROM :organization::bytea AND j.id = :job AND (j.lease_until IS NULL OR j.lease_until < now())
      AND (j.state IN ('QUEUED', 'RUNNING') OR (j.state = 'FAILED' AND NOT EXISTS (
          SELECT FROM job l WHERE l.subject = j.subject AND l.seq > j.seq AND l.state <> 'CANCELLED')))
    FOR UPDATE)
RETURNING step, encode(subject, 'hex') AS subject
