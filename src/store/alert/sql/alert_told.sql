-- Which notifications of a configuration told, or may have told, that an alert was opened. Asked before it is closed.
-- scope: organization :organization
SELECT encode(n.notifier_id, 'hex') AS notifier FROM alert_notification n
WHERE n.org_id = :organization AND n.alert_id = :alert AND n.about = 'OPENED' AND (n.state = 'SENT' OR (n.state = 'PENDING' AND n.tries > 0))
ORDER BY n.notifier_id
