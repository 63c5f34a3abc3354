-- The clusters of a project in short form, for overviews, with what is open about each.
CREATE OR REPLACE FUNCTION project_clusters(p_project bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'clusterId', encode(c.id, 'hex'),
        'name', c.name,
        'type', 'REPLICA_SET',
        'nodeCount', m.members,
        'versions', m.versions,
        'availability', CASE WHEN m.primaries > 0 AND m.silent = 0 THEN 'available' WHEN m.primaries > 0 THEN 'warning'
                             WHEN m.silent < m.members THEN 'unavailable' ELSE 'dead' END,
        'alertCount', (SELECT count(*) FROM alert a WHERE a.project_id = p_project AND a.cluster = c.name AND a.status = 'OPEN'),
        'backupEnabled', EXISTS (SELECT FROM backup_stanza s WHERE s.cluster_id = c.id AND s.state = 'OPEN'),
        'authEnabled', true,
        'sslEnabled', true) ORDER BY c.id), '[]')
    FROM cluster c
    CROSS JOIN LATERAL (
        SELECT count(*) AS members, coalesce(jsonb_agg(DISTINCT m.version) FILTER (WHERE m.version IS NOT NULL), '[]') AS versions,
               count(*) FILTER (WHERE m.role = 'PRIMARY') AS primaries, count(*) FILTER (WHERE m.role = 'NONE') AS silent
        FROM cluster_member m WHERE m.cluster_id = c.id AND m.desired <> 'REMOVED') m
    WHERE c.project_id = p_project
$$;
