-- From the names that exist: a string is shown when, and only when, it can be used. Those of private addresses are for networks with name servers of their own, and
-- are shown while the project uses custom DNS. Members for analytics are in none but strings of their own. Whoever uses one writes their user and password into it.
CREATE OR REPLACE FUNCTION cluster_connection_strings(p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH custom AS (
        SELECT EXISTS (SELECT FROM cluster c JOIN resource r ON r.scope = c.project_id AND r.kind = 'customDns' AND r.name = ''
                       WHERE c.id = p_cluster AND (r.document -> 'enabled')::boolean) AS dns),
    analyst AS (
        SELECT member_name(c.set_name, c.host_label, m.ordinal) AS label
        FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.id = p_cluster AND m.analytics),
    target AS (
        SELECT DISTINCT d.name, split_part(d.name, '.', 1) LIKE '%-pri' AS private,
               EXISTS (SELECT FROM analyst a WHERE split_part(d.name, '.', 1) IN (a.label, a.label || '-pri')) AS analytics
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type IN ('A', 'AAAA')),
    names AS (
        SELECT array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t.private AND NOT t.analytics) AS standard,
               array_agg(t.name ORDER BY t.name) FILTER (WHERE t.private AND NOT t.analytics AND custom.dns) AS private,
               array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t.private AND t.analytics) AS analytics,
               array_agg(t.name ORDER BY t.name) FILTER (WHERE t.private AND t.analytics AND custom.dns) AS private_analytics
        FROM target t, custom),
    drivers AS (
        SELECT cluster_driver_strings(n.standard, c.port) AS standard, cluster_driver_strings(n.private, c.port) AS private
        FROM names n JOIN cluster c ON c.id = p_cluster),
    reading AS (
        SELECT cluster_strings_for(d.standard, 'prefer-standby', 'preferSecondary') AS standard,
               cluster_strings_for(d.private, 'prefer-standby', 'preferSecondary') AS private
        FROM drivers d),
    analytics AS (
        SELECT cluster_strings_for(cluster_driver_strings(n.analytics, c.port), 'standby', 'secondary') AS standard,
               cluster_strings_for(cluster_driver_strings(n.private_analytics, c.port), 'standby', 'secondary') AS private
        FROM names n JOIN cluster c ON c.id = p_cluster),
    pooled AS (
        SELECT cluster_driver_strings(n.standard, c.pooler_port) AS standard, cluster_driver_strings(n.private, c.pooler_port) AS private
        FROM names n JOIN cluster c ON c.id = p_cluster AND c.pooling),
    service AS (
        SELECT DISTINCT replace(d.name, '_postgresql._tcp.', '') AS name, split_part(d.name, '.', 3) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type = 'SRV')
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'standard', d.standard ->> 'libpq',
        'standardSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s WHERE NOT s.private),
        'private', d.private ->> 'libpq',
        'privateSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s, custom WHERE s.private AND custom.dns),
        'privateEndpoint', cluster_endpoint_strings(p_cluster),
        'drivers', d.standard,
        'privateDrivers', d.private,
        'readOnly', r.standard ->> 'libpq',
        'readOnlyDrivers', r.standard,
        'privateReadOnly', r.private ->> 'libpq',
        'privateReadOnlyDrivers', r.private,
        'analytics', a.standard ->> 'libpq',
        'analyticsDrivers', a.standard,
        'privateAnalytics', a.private ->> 'libpq',
        'privateAnalyticsDrivers', a.private,
        'pooled', p.standard ->> 'libpq',
        'pooledDrivers', p.standard,
        'privatePooled', p.private ->> 'libpq',
        'privatePooledDrivers', p.private))
    FROM drivers d CROSS JOIN reading r CROSS JOIN analytics a LEFT JOIN pooled p ON true
$$;
