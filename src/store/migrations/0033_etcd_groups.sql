-- What members of clusters agree in: groups of etcd servers. A cluster belongs to one, from its first transaction on; losing a group, or
-- somebody who broke into one, touches no other's clusters. Inside a group each cluster has a user that sees its own keys only.

CREATE TABLE etcd_group (
    name       text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    endpoints  text[] NOT NULL DEFAULT '{}', -- none: `etcd` of reeve.conf, which is what the group "default" is
    regions    text[] NOT NULL DEFAULT '{}', -- 'PROVIDER/REGION' whose clusters it takes; none: those of all
    capacity   int CHECK (capacity > 0),     -- how many clusters it takes; NULL: as many as come
    state      text NOT NULL DEFAULT 'ACTIVE' CHECK (state IN ('ACTIVE', 'DRAINING')), -- DRAINING takes no more
    -- OFF: whoever has a certificate of the fleet may do everything. PREPARED: it is to be ON. ON: nothing goes without a user.
    auth       text NOT NULL DEFAULT 'OFF' CHECK (auth IN ('OFF', 'PREPARED', 'ON')),
    early      boolean NOT NULL DEFAULT false, -- members may start with a user while it is PREPARED (docs/internals/etcd.md)
    root       bytea, -- its root user's password, sealed, bound to etcd/<name>/root
    waits_for  text,  -- a sentence: why it is not ON yet, or what went wrong last
    created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE etcd_group ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON etcd_group TO reeve_reader;
CREATE POLICY reader ON etcd_group FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON etcd_group TO reeve_tenant;
CREATE POLICY service ON etcd_group TO reeve_tenant USING (reeve_is_service());
INSERT INTO etcd_group (name) VALUES ('default');

ALTER TABLE cluster
    ADD COLUMN etcd_group text NOT NULL DEFAULT 'default' REFERENCES etcd_group (name),
    ADD COLUMN etcd_password bytea, -- of the cluster's user, sealed, bound to etcd/<cluster id>/password
    ADD COLUMN etcd_user text;      -- when the group has it; NULL: not yet
CREATE INDEX cluster_of_etcd_group ON cluster (etcd_group);

-- Chooses among the groups of a region one with room left, in turn with everybody who places members. False: there is none.
CREATE FUNCTION cluster_bind_etcd(p_cluster bytea, p_provider text, p_region text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_group text;
BEGIN
    PERFORM placement_lock();
    SELECT g.name INTO v_group
    FROM etcd_group g, LATERAL (SELECT count(*) AS clusters FROM cluster c WHERE c.etcd_group = g.name AND c.id <> p_cluster) used
    WHERE g.state = 'ACTIVE' AND (g.regions = '{}' OR p_provider || '/' || p_region = ANY (g.regions))
      AND (g.capacity IS NULL OR used.clusters < g.capacity)
    ORDER BY g.regions = '{}', used.clusters::numeric / coalesce(g.capacity, 1000000), g.name
    LIMIT 1;
    IF v_group IS NULL THEN
        RETURN false;
    END IF;
    UPDATE cluster c SET etcd_group = v_group WHERE c.id = p_cluster AND reeve_acts_for(c.org_id);
    RETURN FOUND;
END $$;

-- What users are told changes with their group.
CREATE FUNCTION etcd_group_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT DISTINCT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
                                   WHERE c.etcd_group = NEW.name AND c.etcd_user IS NOT NULL AND m.desired <> 'PLANNED'));
    RETURN NULL;
END $$;
CREATE TRIGGER etcd_group_changes_goals AFTER UPDATE OF auth, early ON etcd_group
    FOR EACH ROW WHEN (OLD.auth <> NEW.auth OR OLD.early <> NEW.early) EXECUTE FUNCTION etcd_group_changes_goals();

-- The group has the cluster's user now: its members are told.
CREATE FUNCTION cluster_etcd_user_made(p_cluster bytea, p_user text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE cluster c SET etcd_user = p_user WHERE c.id = p_cluster AND reeve_acts_for(c.org_id);
    IF FOUND THEN
        PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m
                                       WHERE m.cluster_id = p_cluster AND m.desired <> 'PLANNED'));
    END IF;
    RETURN FOUND;
END $$;

-- How many members of a group would be locked out if nothing went without a user: agents say "<member id>+ETCD" about those that
-- were started with one, and those that are stopped will be.
CREATE FUNCTION etcd_group_waits_for(p_group text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id JOIN host h ON h.id = m.host_id
    WHERE c.etcd_group = p_group AND m.desired = 'RUNNING' AND h.state <> 'REMOVED'
      AND NOT coalesce(h.facts -> 'walls' ? (encode(m.id, 'hex') || '+ETCD'), false)
$$;

CREATE FUNCTION cluster_etcd_goal(p_cluster bytea, p_configured json) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_strip_nulls(json_build_object(
        'endpoints', CASE WHEN g.endpoints = '{}' THEN p_configured ELSE to_json(g.endpoints) END,
        'user', CASE WHEN g.auth = 'ON' OR g.early THEN c.etcd_user END,
        -- Opened by the node that sends the document (fleet/goal_secret.c).
        'etcdPassword', CASE WHEN c.etcd_user IS NOT NULL AND (g.auth = 'ON' OR g.early)
                             THEN 'sealed:' || encode(c.id, 'hex') || ':' || encode(c.etcd_password, 'hex') END))
    FROM cluster c JOIN etcd_group g ON g.name = c.etcd_group WHERE c.id = p_cluster
$$;

DO $$
DECLARE
    v_function text;
BEGIN
    FOREACH v_function IN ARRAY ARRAY['cluster_bind_etcd(bytea, text, text)', 'cluster_etcd_user_made(bytea, text)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_tenant', v_function);
    END LOOP;
    FOREACH v_function IN ARRAY ARRAY['etcd_group_waits_for(text)', 'cluster_etcd_goal(bytea, json)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_reader', v_function);
    END LOOP;
END $$;

-- As 0014 has it, with `walls` and `etcd` of each cluster.
CREATE OR REPLACE FUNCTION host_goal(p_host bytea, p_domain text, p_etcd json) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (WITH here AS MATERIALIZED (
        SELECT m.*, c.set_name, c.project_id, a.hash, d.address, d.prefix
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
                'parameters', c.parameters,
                'peers', (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                                     'memberId', encode(m.id, 'hex'),
                                     'name', member_name(c.set_name, m.ordinal),
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
                'name', member_name(m.set_name, m.ordinal),
                'ordinal', m.ordinal,
                'address', host(m.address),
                'prefix', m.prefix,
                'port', 27017,
                'desired', m.desired,
                'cpus', m.cpus,
                'memoryMb', m.memory_mb,
                'diskGb', m.disk_gb,
                'electable', m.electable,
                'priority', m.priority,
                'restartNonce', m.restart_nonce,
                'names', to_json(member_host_names(m.set_name, m.ordinal, m.hash, p_domain))) ORDER BY m.id), '[]')
            FROM here m),
        'tasks', (
            SELECT coalesce(json_agg(json_build_object(
                'id', encode(t.id, 'hex'),
                'memberId', encode(t.member_id, 'hex'),
                'kind', t.kind,
                'parameters', t.parameters) ORDER BY t.id), '[]')
            FROM host_task t WHERE t.host_id = p_host AND t.outcome IS NULL))
    FROM host h JOIN host_goal_version v ON v.host_id = h.id
    WHERE h.id = p_host AND h.state <> 'REMOVED');
END $$;
