-- Has a notification of an alert sent after :delay_min minutes.
-- scope: organization :organization
INSERT INTO alert_notification (org_id, project_id, id, alert_id, notifier_id, about, number, due_at, next_try_at)
SELECT :organization::bytea, :project::bytea, :id, :alert, :notifier, :about, :number::int, d.at, d.at FROM (SELECT now() + :delay_min::bigint * interval '1 minute' AS at) d
ON CONFLICT DO NOTHING
