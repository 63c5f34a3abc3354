-- Closes an alert that is not closed yet, and takes back what was not sent.
-- scope: organization :organization
WITH closed AS (
    UPDATE alert SET status = 'CLOSED', resolved_at = now(), updated_at = now(), revision = nextval('revision')
    WHERE org_id = :organization AND id = :alert AND status <> 'CLOSED' RETURNING alert.*),
quiet AS (
    UPDATE alert_notification n SET state = 'CANCELLED' FROM closed c
    WHERE n.org_id = :organization AND n.alert_id = c.id AND n.state = 'PENDING')
SELECT alert_json(c::alert) AS document, c.cluster FROM closed c
