-- The goal of a host: everything that its agent has to make true, as one document (docs/internals/fleet.md is the contract). NULL when the host was removed.
-- In plpgsql and with a plan that is kept: to plan it takes many times as long as to run it.
CREATE OR REPLACE FUNCTION host_goal(p_host bytea, p_domain text, p_etcd json) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (WITH here AS MATERIALIZED (
        SELECT m.*, c.set_name, c.host_label, c.port, c.project_id, a.hash, d.address, d.prefix
        FROM cluster_member m
        JOIN cluster c ON c.id = m.cluster_id
        JOIN host_address d ON d.member_id = m.id
        LEFT JOIN project_access a ON a.project_id = c.project_id
        WHERE m.host_id = p_host AND m.desired <> 'PLANNED'
    )
    SELECT json_build_object(
        'version', v.version,
        'epoch', h.epoch,
        'hostId', encode(h.id, 'hex'),
        'hostName', h.name,
        'etcd', p_etcd,
        'authority', (SELECT a.certificate FROM authority a WHERE a.purpose = 'FLEET'),
        'clusters', (
            SELECT coalesce(json_agg(json_build_object(
                'id', encode(c.id, 'hex'),
                'projectId', encode(c.project_id, 'hex'),
                'name', c.name,
                'scope', c.set_name,
                'majorVersion', c.major_version,
                'goalGeneration', c.goal_generation,
                'accessGeneration', coalesce(a.generation, 0),
                'synchronous', (SELECT count(*) > 1 FROM cluster_member m
                                WHERE m.cluster_id = c.id AND m.electable AND m.desired IN ('RUNNING', 'STOPPED')),
                'walls', cluster_walls_goal(c.id),
                'etcd', cluster_etcd_goal(c.id, p_etcd),
                'backup', cluster_backup_goal(c.id),
                'restore', cluster_restore_goal(c.id),
                'parameters', c.parameters,
                'analyticsParameters', c.analytics_parameters,
                'keys', cluster_keys_goal(c.id),
                'pinnedTables', c.pinned_tables,
                'switchedOff', project_switched_off(c.project_id),
                'pooling', CASE WHEN c.pooling THEN json_build_object('mode', c.pooling_mode, 'port', c.pooler_port) END,
                'peers', (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                                     'memberId', encode(m.id, 'hex'),
                                     'name', member_name(c.set_name, c.host_label, m.ordinal),
                                     'address', host(d.address),
                                     'hostAddress', host(o.address))) ORDER BY m.ordinal), '[]')
                          FROM cluster_member m
                          JOIN host o ON o.id = m.host_id
                          JOIN host_address d ON d.member_id = m.id
                          WHERE m.cluster_id = c.id AND m.desired IN ('RUNNING', 'STOPPED')),
                'access', project_access_goal(c.project_id, c.name)) ORDER BY c.id), '[]')
            FROM cluster c
            LEFT JOIN project_access a ON a.project_id = c.project_id
            WHERE c.id IN (SELECT m.cluster_id FROM here m)),
        'members', (
            SELECT coalesce(json_agg(json_build_object(
                'id', encode(m.id, 'hex'),
                'clusterId', encode(m.cluster_id, 'hex'),
                'name', member_name(m.set_name, m.host_label, m.ordinal),
                'ordinal', m.ordinal,
                'address', host(m.address),
                'prefix', m.prefix,
                'port', m.port,
                'desired', m.desired,
                'cpus', m.cpus,
                'memoryMb', m.memory_mb,
                'diskGb', m.disk_gb,
                'electable', m.electable,
                'analytics', m.analytics,
                'priority', m.priority,
                'restartNonce', m.restart_nonce,
                'names', to_json(member_host_names(m.set_name, m.host_label, m.ordinal, m.hash, p_domain) || private_endpoint_names(m.project_id, p_domain))) ORDER BY m.id), '[]')
            FROM here m),
        'tasks', (
            SELECT coalesce(json_agg(json_build_object(
                'id', encode(t.id, 'hex'),
                'memberId', encode(t.member_id, 'hex'),
                'kind', t.kind,
                'parameters', t.parameters) ORDER BY t.id), '[]')
            FROM host_task t WHERE t.host_id = p_host AND t.outcome IS NULL),
        'seats', host_seats_goal(p_host),
        'gates', host_gates_goal(p_host),
        'relays', host_relays_goal(p_host),
        'peerings', host_peerings_goal(p_host))
    FROM host h JOIN host_goal_version v ON v.host_id = h.id
    WHERE h.id = p_host AND h.state <> 'REMOVED');
END $$;
REVOKE ALL ON FUNCTION host_goal(bytea, text, json) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_goal(bytea, text, json) TO reeve_reader;
