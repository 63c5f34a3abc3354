-- Has a notification of an alert sent after $7 minutes.
-- scope: organization $1
INSERT INTO alert_notification (org_id, project_id, id, alert_id, notifier_id, about, number, due_at, next_try_at)
SELECT $1::bytea, $2::bytea, $3, $4, $5, $6, $8::int, d.at, d.at FROM (SELECT now() + $7::bigint * interval '1 minute' AS at) d
ON CONFLICT DO NOTHING
