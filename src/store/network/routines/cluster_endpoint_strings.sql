-- How a cluster is reached through private endpoints: a string for each service that has endpoints and leads to members of it.
CREATE OR REPLACE FUNCTION cluster_endpoint_strings(p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'type', 'DB_SERVER',
        'endpoints', e.list,
        'connectionString', cluster_connection_string('postgresql', p.list),
        'srvConnectionString', cluster_connection_string('postgresql+srv', coalesce(c.host_label, c.set_name) || '-' || private_endpoint_name(s)))
        ORDER BY s.number), '[]')
    FROM cluster c
    JOIN private_endpoint_service s ON s.project_id = c.project_id AND s.removed_at IS NULL
    CROSS JOIN LATERAL (SELECT string_agg(private_endpoint_name(s) || ':' || p.port, ',' ORDER BY p.ordinal) AS list
                        FROM private_endpoint_members(c.project_id) m
                        JOIN private_endpoint_port p ON p.service_id = s.id AND p.cluster_id = c.id AND p.ordinal = m.ordinal
                        WHERE m.service_id = s.id AND m.cluster_id = c.id) p
    CROSS JOIN LATERAL (SELECT jsonb_agg(jsonb_build_object('endpointId', e.name, 'providerName', s.provider, 'region', s.region) ORDER BY e.name) AS list
                        FROM private_endpoint e WHERE e.service_id = s.id AND e.removed_at IS NULL) e
    WHERE c.id = p_cluster AND p.list IS NOT NULL AND e.list IS NOT NULL
$$;
