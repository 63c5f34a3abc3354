-- Jobs of the kinds $1 that may be worked on now, those that wait longest first; those that wait for a maintenance window let others of their subject pass. With $2 also those that only wait for news.
-- scope: none, because the worker serves all organizations; it claims each in a transaction of its organization
SELECT encode(j.org_id, 'hex'), encode(j.id, 'hex'), encode(j.subject, 'hex'), j.kind, j.step
FROM job j
WHERE j.state IN ('QUEUED', 'RUNNING') AND j.kind = ANY ($1::text[])
  AND (j.next_run_at <= now() OR ($2::boolean AND j.failures = 0))
  AND (j.lease_until IS NULL OR j.lease_until < now())
  AND NOT EXISTS (SELECT FROM job e WHERE e.subject = j.subject AND e.seq < j.seq AND e.state IN ('QUEUED', 'RUNNING') AND e.step <> 'wait-window')
ORDER BY j.next_run_at
LIMIT 32
