-- A new alert; nothing when there is one already: of this event, or of what lasts.
-- scope: organization $1
INSERT INTO alert (org_id, project_id, id, config_id, event_id, event_type, severity, cluster, status, lasts, close_at, event_count, created_at,
                   updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::boolean, CASE WHEN NOT $10::boolean THEN now() + $11::bigint * interval '1 second' END, $12::bigint,
        to_timestamp($13::bigint / 1000.0), now())
ON CONFLICT DO NOTHING
RETURNING alert_json(alert)
