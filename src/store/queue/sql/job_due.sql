-- Jobs of the kinds :kinds that may be worked on now, those that wait longest first; those that wait for a maintenance window let others of their subject pass. With :any_news also those that only wait for news.
-- scope: none, because the worker serves all organizations; it claims each in a transaction of its organization
SELECT encode(j.org_id, 'hex') AS organization, encode(j.id, 'hex') AS job, encode(j.subject, 'hex') AS subject, j.kind, j.step
FROM job j
WHERE j.state IN ('QUEUED', 'RUNNING') AND j.kind = ANY (:kinds::text[])
  AND (j.next_run_at <= now() OR (:any_news::boolean AND j.failures = 0))
  AND (j.lease_until IS NULL OR j.lease_until < now())
  AND NOT EXISTS (SELECT FROM job e WHERE e.subject = j.subject AND e.seq < j.seq AND e.state IN ('QUEUED', 'RUNNING') AND e.step <> 'wait-window')
ORDER BY j.next_run_at
LIMIT 32
