-- A new alert; nothing when there is one already: of this event, or of what lasts.
-- scope: organization :organization
INSERT INTO alert (org_id, project_id, id, config_id, event_id, event_type, severity, cluster, status, lasts, close_at, event_count, created_at,
                   updated_at)
VALUES (:organization, :project, :alert, :config, :event, :event_type, :severity, :cluster, :status, :lasts::boolean, CASE WHEN NOT :lasts::boolean THEN now() + :open_s::bigint * interval '1 second' END, :event_count::bigint,
        to_timestamp(:created_ms::bigint / 1000.0), now())
ON CONFLICT DO NOTHING
RETURNING alert_json(alert) AS document
