-- Notifications that may be sent now, those that wait longest first. An alert that was acknowledged is quiet, except about its end.
-- scope: none, because the worker serves all organizations; it claims each in a transaction of its organization
SELECT encode(n.org_id, 'hex') AS organization, encode(n.project_id, 'hex') AS project, encode(n.alert_id, 'hex') AS alert, encode(n.id, 'hex') AS notification
FROM alert_notification n JOIN alert a ON a.id = n.alert_id
WHERE n.state = 'PENDING' AND n.next_try_at <= now() AND (n.lease_until IS NULL OR n.lease_until < now())
  AND (n.about = 'CLOSED' OR a.acknowledged_until IS NULL OR a.acknowledged_until <= now())
ORDER BY n.next_try_at
LIMIT 32
