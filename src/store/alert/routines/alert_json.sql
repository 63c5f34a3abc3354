-- How an alert looks in the API.
CREATE OR REPLACE FUNCTION alert_json(a alert) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(a.id, 'hex'),
        'orgId', encode(a.org_id, 'hex'),
        'groupId', encode(a.project_id, 'hex'),
        'alertConfigId', encode(a.config_id, 'hex'),
        'eventId', CASE WHEN a.member_id IS NULL THEN encode(a.event_id, 'hex') END,
        'eventTypeName', a.event_type,
        'severity', a.severity,
        'clusterName', a.cluster,
        'hostnameAndPort', a.process,
        'metricName', a.metric,
        'status', a.status,
        'currentValue', CASE WHEN a.member_id IS NULL THEN json_build_object('number', a.event_count, 'units', 'RAW') ELSE json_build_object('number', a.value, 'units', a.units) END,
        'created', api_date(a.created_at),
        'updated', api_date(a.updated_at),
        'resolved', api_date(a.resolved_at),
        'lastNotified', api_date(a.last_notified_at),
        'acknowledgedUntil', api_date(a.acknowledged_until),
        'acknowledgementComment', a.comment,
        'acknowledgingUsername', a.acknowledged_by))::text
$$;
