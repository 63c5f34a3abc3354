-- The job of a subject that is next in turn (those that wait for a maintenance window come last), when it may be worked on now or waits for news.
-- scope: none, because the worker was told the subject only; it claims the job in a transaction of its organization
SELECT encode(j.org_id, 'hex') AS organization, encode(j.id, 'hex') AS job, encode(j.subject, 'hex') AS subject, j.kind, j.step
FROM (SELECT * FROM job WHERE subject = :subject AND state IN ('QUEUED', 'RUNNING') ORDER BY step = 'wait-window', seq LIMIT 1) j
WHERE j.kind = ANY (:kinds::text[]) AND (j.next_run_at <= now() OR j.failures = 0)
  AND (j.lease_until IS NULL OR j.lease_until < now())
