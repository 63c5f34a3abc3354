-- Alerts of one moment whose time is over, the longest first.
-- scope: none, because the worker looks for those of all organizations and closes each in a transaction of its own
SELECT encode(org_id, 'hex') AS organization, encode(project_id, 'hex') AS project, encode(id, 'hex') AS alert FROM alert
WHERE status <> 'CLOSED' AND close_at <= now() ORDER BY close_at LIMIT 100
