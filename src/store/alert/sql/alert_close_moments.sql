-- Closes all alerts of a configuration that are of one moment, and takes back what was not sent.
-- scope: project :project
WITH closed AS (
    UPDATE alert SET status = 'CLOSED', resolved_at = now(), updated_at = now(), revision = nextval('revision')
    WHERE project_id = :project AND config_id = :config AND NOT lasts AND status <> 'CLOSED' RETURNING id)
UPDATE alert_notification n SET state = 'CANCELLED' FROM closed c
WHERE n.project_id = :project AND n.alert_id = c.id AND n.state = 'PENDING'
