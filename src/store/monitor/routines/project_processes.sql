-- The servers of a project, as the API shows them, by the names that connection strings have. A primary of an older timeline is none, and
-- nobody is anything on a host that was given up.
CREATE OR REPLACE FUNCTION project_processes(p_project bytea) RETURNS TABLE (member_id bytea, cluster_id bytea, key text, document text)
LANGUAGE sql STABLE AS $$
    SELECT m.id, m.cluster_id, d.name || ':' || m.port, json_strip_nulls(json_build_object(
        'id', d.name || ':' || m.port,
        'hostname', d.name,
        'port', m.port,
        'groupId', encode(m.project_id, 'hex'),
        'replicaSetName', m.set_name,
        'typeName', CASE WHEN m.is_given_up OR m.unit <> 'active' THEN 'NO_DATA'
                         WHEN m.role = 'PRIMARY' AND m.is_newest THEN 'REPLICA_PRIMARY'
                         WHEN m.role IN ('REPLICA', 'SYNC_STANDBY') THEN 'REPLICA_SECONDARY'
                         ELSE 'RECOVERING' END,
        'userAlias', d.name,
        'version', m.version,
        'created', api_date(greatest(date_trunc('second', m.created_at), to_timestamp(('x' || encode(substring(m.id FROM 1 FOR 4), 'hex'))::bit(32)::bigint))), -- an id has its time
        'lastPing', api_date(date_trunc('second', m.reported_at))))::text
    FROM (SELECT m.id, m.cluster_id, m.ordinal, m.unit, m.role, m.version, m.reported_at, c.set_name, c.host_label, c.port, c.project_id, c.created_at, h.state = 'REMOVED' AS is_given_up,
                 m.timeline IS NOT DISTINCT FROM max(m.timeline) FILTER (WHERE m.role = 'PRIMARY' AND h.state <> 'REMOVED') OVER (PARTITION BY c.id) AS is_newest
          FROM cluster c
          JOIN cluster_member m ON m.cluster_id = c.id
          JOIN host h ON h.id = m.host_id
          WHERE c.project_id = p_project AND m.desired IN ('RUNNING', 'STOPPED')) m
    CROSS JOIN LATERAL (
        SELECT min(d.name) AS name FROM dns_record d
        WHERE d.cluster_id = m.cluster_id AND d.type IN ('A', 'AAAA') AND split_part(d.name, '.', 1) = member_name(m.set_name, m.host_label, m.ordinal)) d
    WHERE d.name IS NOT NULL
$$;
REVOKE ALL ON FUNCTION project_processes(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_processes(bytea) TO reeve_reader;
