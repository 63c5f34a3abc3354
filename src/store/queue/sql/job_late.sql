-- Jobs that are past the deadline of their step, which nobody was told yet.
-- scope: none, because the worker looks after all organizations; it marks each in a transaction of its organization
SELECT encode(org_id, 'hex') AS organization, encode(id, 'hex') AS job FROM job
WHERE state IN ('QUEUED', 'RUNNING') AND overdue_at IS NULL AND step_deadline_at < now()
ORDER BY step_deadline_at LIMIT 32
