-- A new alert about what was measured on a member; nothing when there is one already.
-- scope: organization :organization
INSERT INTO alert (org_id, project_id, id, config_id, event_id, event_type, severity, cluster, status, lasts, created_at, updated_at, member_id, process, metric, value, units)
VALUES (:organization, :project, :alert, :config, :alert, 'OUTSIDE_METRIC_THRESHOLD', :severity, :cluster, :status, true, now(), now(), :member, :process, :metric,
        :value::double precision, :units)
ON CONFLICT DO NOTHING
RETURNING alert_json(alert) AS document
