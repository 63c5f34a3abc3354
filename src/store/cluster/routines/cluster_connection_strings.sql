-- From the names that exist: a string is shown when, and only when, it can be used. The placeholders are the client's to fill.
CREATE OR REPLACE FUNCTION cluster_connection_strings(p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH target AS (
        SELECT DISTINCT d.name, split_part(d.name, '.', 1) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type IN ('A', 'AAAA')),
    names AS (
        SELECT array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t.private) AS standard,
               array_agg(t.name ORDER BY t.name) FILTER (WHERE t.private) AS private
        FROM target t),
    drivers AS (
        SELECT cluster_driver_strings(n.standard, c.port) AS standard, cluster_driver_strings(n.private, c.port) AS private
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
        'privateSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s WHERE s.private),
        'privateEndpoint', '[]'::jsonb, -- nothing makes one: docs/internals/network.md
        'drivers', d.standard,
        'privateDrivers', d.private,
        'pooled', p.standard ->> 'libpq',
        'pooledDrivers', p.standard,
        'privatePooled', p.private ->> 'libpq',
        'privatePooledDrivers', p.private))
    FROM drivers d LEFT JOIN pooled p ON true
$$;
