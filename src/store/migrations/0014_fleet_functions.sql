-- What crosses organizations: placing and releasing members, moving goals, building a host's goal and taking over its report.
-- These functions run as the owner of the tables; each looks for itself at whom the transaction acts for. docs/internals/fleet.md
-- is the contract.

ALTER TABLE host SET (fillfactor = 70);
ALTER TABLE cluster_member SET (fillfactor = 70);

CREATE FUNCTION reeve_acts_for(p_org bytea) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT coalesce(reeve_is_service() OR p_org = reeve_organization(), false) $$;

-- An identifier as base/id.h makes them, in the cell of another one.
CREATE FUNCTION reeve_new_id(p_like bytea) RETURNS bytea LANGUAGE sql VOLATILE AS $$
    SELECT decode(lpad(to_hex(floor(extract(epoch FROM clock_timestamp()))::bigint), 8, '0'), 'hex')
           || substring(p_like FROM 5 FOR 2) || substring(uuid_send(gen_random_uuid()) FROM 1 FOR 6)
$$;

-- ---- Goals that move ----
-- A transaction notes here whose goals it changed; they move together when it commits, in the order of their ids. So two
-- transactions that touch the same hosts never wait for each other in a circle, whatever else they do in between, and nobody waits
-- for longer than a commit. A row never outlives its transaction.
CREATE UNLOGGED TABLE goal_touch (
    tx      xid8 NOT NULL,
    host_id reeve_id NOT NULL,
    PRIMARY KEY (tx, host_id)
);
ALTER TABLE goal_touch ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION goal_moves() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_hosts bytea[];
BEGIN
    -- The first row's turn does the work of all of them.
    WITH mine AS (DELETE FROM goal_touch t WHERE t.tx = pg_current_xact_id() RETURNING t.host_id)
    SELECT array_agg(m.host_id::bytea ORDER BY m.host_id) INTO v_hosts FROM mine m;
    IF v_hosts IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM host_goal_version g WHERE g.host_id = ANY (v_hosts) ORDER BY g.host_id FOR UPDATE;
    UPDATE host_goal_version g SET version = g.version + 1 WHERE g.host_id = ANY (v_hosts);
    PERFORM pg_notify('reeve_goal', encode(h, 'hex')) FROM unnest(v_hosts) h;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER goal_moves AFTER INSERT ON goal_touch DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION goal_moves();

CREATE FUNCTION goal_touch_hosts(p_hosts bytea[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    INSERT INTO goal_touch (tx, host_id) SELECT DISTINCT pg_current_xact_id(), h FROM unnest(p_hosts) h
    ON CONFLICT DO NOTHING
$$;
REVOKE ALL ON FUNCTION goal_touch_hosts(bytea[]) FROM PUBLIC;

-- Every host has a goal from the beginning.
CREATE FUNCTION host_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO host_goal_version (host_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER host_made AFTER INSERT ON host FOR EACH ROW EXECUTE FUNCTION host_made();

-- A member's wanted state and a task are in the goal the moment they are written: nobody can forget to say so. What agents report is
-- in other columns.
CREATE FUNCTION member_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = OLD.cluster_id)
                             || OLD.host_id::bytea);
    RETURN NULL;
END $$;
CREATE TRIGGER member_changes_goals AFTER DELETE
    OR UPDATE OF desired, restart_nonce, size, cpus, memory_mb, disk_gb, electable, priority ON cluster_member
    FOR EACH ROW EXECUTE FUNCTION member_changes_goals();

CREATE FUNCTION task_changes_goal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY[coalesce(NEW.host_id, OLD.host_id)::bytea]);
    RETURN NULL;
END $$;
CREATE TRIGGER task_changes_goal AFTER INSERT OR DELETE OR UPDATE OF outcome, parameters ON host_task
    FOR EACH ROW EXECUTE FUNCTION task_changes_goal();

CREATE FUNCTION cluster_touch(p_cluster bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_generation bigint;
BEGIN
    UPDATE cluster c SET goal_generation = c.goal_generation + 1
        WHERE c.id = p_cluster AND reeve_acts_for(c.org_id) RETURNING c.goal_generation INTO v_generation;
    IF FOUND THEN
        PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = p_cluster));
    END IF;
    RETURN v_generation;
END $$;

-- The row of a project's access with its label in host names; made the first time.
CREATE FUNCTION project_access_make(p_project bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_org bytea := (SELECT p.org_id FROM project p WHERE p.id = p_project);
    v_hash text;
BEGIN
    IF v_org IS NULL OR NOT reeve_acts_for(v_org) THEN
        RETURN NULL;
    END IF;
    LOOP
        SELECT a.hash INTO v_hash FROM project_access a WHERE a.project_id = p_project;
        EXIT WHEN FOUND;
        -- Five of 36 characters; another project may have the same, then others are drawn.
        INSERT INTO project_access (project_id, org_id, hash)
            SELECT p_project, v_org, string_agg(substr('abcdefghijklmnopqrstuvwxyz0123456789', get_byte(r.bytes, i) % 36 + 1, 1), '')
            FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) r, generate_series(0, 4) i
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN v_hash;
END $$;

CREATE FUNCTION access_touch(p_project bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_generation bigint;
BEGIN
    IF project_access_make(p_project) IS NULL THEN
        RETURN NULL;
    END IF;
    UPDATE project_access a SET generation = a.generation + 1 WHERE a.project_id = p_project
        RETURNING a.generation INTO v_generation;
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
                                   WHERE c.project_id = p_project));
    RETURN v_generation;
END $$;

-- ---- Where members are ----
-- Placing and releasing take turns: the hosts of one transaction are locked in whatever order it needs them.
CREATE FUNCTION placement_lock() RETURNS void LANGUAGE sql VOLATILE
    AS $$ SELECT pg_advisory_xact_lock(7236277, 1) $$;

CREATE FUNCTION member_place(p_cluster bytea, p_ordinal int, p_provider text, p_region text, p_size text, p_disk_gb int,
                             p_electable boolean, p_priority int) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_cluster cluster;
    v_size instance_size;
    v_disk_gb int;
    v_host bytea;
    v_member bytea;
    v_zones text[];
BEGIN
    SELECT * INTO v_cluster FROM cluster c WHERE c.id = p_cluster AND reeve_acts_for(c.org_id);
    SELECT * INTO v_size FROM instance_size s WHERE s.name = p_size;
    IF v_cluster.id IS NULL OR v_size.name IS NULL THEN
        RETURN NULL;
    END IF;
    v_disk_gb := coalesce(nullif(p_disk_gb, 0), v_size.disk_gb);
    PERFORM placement_lock(); -- what follows sees everything that was placed before
    SELECT m.id INTO v_member FROM cluster_member m WHERE m.cluster_id = p_cluster AND m.ordinal = p_ordinal;
    IF FOUND THEN
        RETURN v_member; -- a step that is run again
    END IF;
    v_zones := ARRAY(SELECT h.zone FROM cluster_member m JOIN host h ON h.id = m.host_id
                     WHERE m.cluster_id = p_cluster AND h.provider = p_provider AND h.region = p_region);
    SELECT h.id INTO v_host
    FROM host h
    WHERE h.state = 'ACTIVE' AND h.provider = p_provider AND h.region = p_region
      AND h.cpus - h.used_cpus >= v_size.cpus
      AND h.memory_mb - h.used_memory_mb >= v_size.memory_mb
      AND h.disk_gb - h.used_disk_gb >= v_disk_gb
      AND EXISTS (SELECT FROM host_address a WHERE a.host_id = h.id AND a.member_id IS NULL)
      AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.cluster_id = p_cluster AND m.host_id = h.id)
    ORDER BY h.last_seen_at IS NULL OR h.last_seen_at < now() - interval '1 minute', -- silent ones only when there is no other
             cardinality(array_positions(v_zones, h.zone)),
             greatest(h.used_cpus / nullif(h.cpus, 0), h.used_memory_mb::numeric / nullif(h.memory_mb, 0),
                      h.used_disk_gb::numeric / nullif(h.disk_gb, 0)),
             h.id
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM project_access_make(v_cluster.project_id); -- its names need the project's label
    v_member := reeve_new_id(p_cluster);
    UPDATE host h SET used_cpus = h.used_cpus + v_size.cpus, used_memory_mb = h.used_memory_mb + v_size.memory_mb,
        used_disk_gb = h.used_disk_gb + v_disk_gb
        WHERE h.id = v_host;
    INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb, electable, priority)
        VALUES (v_member, v_cluster.org_id, p_cluster, v_host, p_ordinal, p_size, v_size.cpus, v_size.memory_mb, v_disk_gb,
                coalesce(p_electable, true), coalesce(p_priority, 7));
    UPDATE host_address a SET member_id = v_member
        WHERE a.address = (SELECT f.address FROM host_address f WHERE f.host_id = v_host AND f.member_id IS NULL
                           ORDER BY f.address LIMIT 1);
    RETURN v_member;
END $$;

CREATE FUNCTION member_release(p_member bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_member cluster_member;
BEGIN
    PERFORM placement_lock();
    SELECT * INTO v_member FROM cluster_member m WHERE m.id = p_member AND reeve_acts_for(m.org_id) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE host_address a SET member_id = NULL WHERE a.member_id = p_member;
    UPDATE host h SET used_cpus = h.used_cpus - v_member.cpus, used_memory_mb = h.used_memory_mb - v_member.memory_mb,
        used_disk_gb = h.used_disk_gb - v_member.disk_gb
        WHERE h.id = v_member.host_id;
    UPDATE certificate c SET revoked_at = now()
        WHERE c.kind = 'MEMBER' AND c.owner = encode(p_member, 'hex') AND c.revoked_at IS NULL;
    DELETE FROM cluster_member m WHERE m.id = p_member;
    RETURN true;
END $$;

-- ---- What an agent is told ----
CREATE FUNCTION member_name(p_set_name text, p_ordinal int) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN p_set_name || '-shard-00-' || lpad(p_ordinal::text, greatest(2, length(p_ordinal::text)), '0');

-- Under which names clients reach a member; its certificate holds them.
CREATE FUNCTION member_host_names(p_set_name text, p_ordinal int, p_hash text, p_domain text) RETURNS text[] LANGUAGE sql IMMUTABLE
    RETURN ARRAY[member_name(p_set_name, p_ordinal) || '.' || p_hash || '.' || p_domain,
                 member_name(p_set_name, p_ordinal) || '-pri.' || p_hash || '.' || p_domain,
                 p_set_name || '.' || p_hash || '.' || p_domain];

-- Who may connect to one cluster of a project, from the documents of its resources. A function of its own: the families of
-- users, roles and networks know these documents, and replace it when they change.
-- In plpgsql and with a plan that is kept, as host_goal() is: to plan it takes many times as long as to run it.
CREATE FUNCTION project_access_goal(p_project bytea, p_cluster_name text) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN json_build_object(
        'networks', (SELECT coalesce(json_agg(coalesce(r.document ->> 'cidrBlock', (r.document ->> 'ipAddress')
                                                       || CASE WHEN r.document ->> 'ipAddress' LIKE '%:%' THEN '/128' ELSE '/32' END)
                                              ORDER BY r.id), '[]')
                     FROM resource r
                     WHERE r.scope = p_project AND r.kind = 'accessListEntry'
                       AND coalesce(r.document ->> 'cidrBlock', r.document ->> 'ipAddress') IS NOT NULL),
        'authorities', (SELECT coalesce(string_agg(coalesce(r.document ->> 'cas', r.document ->> 'certificate'), E'\n' ORDER BY r.id), '')
                        FROM resource r WHERE r.scope = p_project AND r.kind = 'userCertificateAuthority')
                       || coalesce((SELECT E'\n' || a.certificate FROM authority a
                                    WHERE a.purpose = 'PROJECT' AND a.project_id = p_project), ''),
        'users', (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                             'name', r.document ->> 'username',
                             'login', CASE WHEN coalesce(r.document ->> 'x509Type', 'NONE') <> 'NONE' THEN 'X509'
                                           WHEN coalesce(r.document ->> 'ldapAuthType', 'NONE') <> 'NONE' THEN 'LDAP'
                                           ELSE 'SCRAM' END,
                             'verifier', r.document ->> 'verifier',
                             'validUntil', r.document ->> 'deleteAfterDate',
                             'roles', (SELECT coalesce(json_agg(json_build_object('role', o ->> 'roleName', 'database', o ->> 'databaseName',
                                                                                  'collection', o ->> 'collectionName')), '[]')
                                       FROM jsonb_array_elements(coalesce(r.document -> 'roles', '[]')) o))) ORDER BY r.id), '[]')
                  FROM resource r
                  WHERE r.scope = p_project AND r.kind = 'databaseUser'
                    AND (jsonb_array_length(coalesce(r.document -> 'scopes', '[]')) = 0
                         OR EXISTS (SELECT FROM jsonb_array_elements(r.document -> 'scopes') s
                                    WHERE s ->> 'name' = p_cluster_name AND coalesce(s ->> 'type', 'CLUSTER') = 'CLUSTER'))),
        'roles', (SELECT coalesce(json_agg(json_build_object(
                             'name', r.document ->> 'roleName',
                             'privileges', (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                                                       'action', a ->> 'action', 'database', coalesce(p ->> 'db', ''),
                                                       'collection', coalesce(p ->> 'collection', ''),
                                                       'cluster', CASE WHEN (p ->> 'cluster')::boolean THEN true END))), '[]')
                                            FROM jsonb_array_elements(coalesce(r.document -> 'actions', '[]')) a,
                                                 jsonb_array_elements(coalesce(a -> 'resources', '[]')) p),
                             'inherits', (SELECT coalesce(json_agg(json_build_object('role', i ->> 'role', 'database', i ->> 'db')), '[]')
                                          FROM jsonb_array_elements(coalesce(r.document -> 'inheritedRoles', '[]')) i)) ORDER BY r.id), '[]')
                  FROM resource r WHERE r.scope = p_project AND r.kind = 'customRole'),
        'ldap', NULL);
END $$;

CREATE FUNCTION host_goal(p_host bytea, p_domain text, p_etcd json) RETURNS json
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

-- ---- What an agent says ----
-- The report was checked by fleet/report.c: every field that is here has its type and bounds. Nothing is taken over about members
-- and tasks of other hosts; OK, STALE, or FOREIGN when it spoke of a member of another host beside its own.
-- Rows are locked in the order members, host: what changes a member's wanted state goes the same way.
CREATE FUNCTION host_report(p_host bytea, p_epoch bigint, p_report jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_epoch bigint;
    v_version bigint;
    v_clusters bytea[];
    v_tasks bytea[];
    v_facts jsonb;
    v_foreign boolean;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'reports are taken over by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT h.epoch, v.version INTO v_epoch, v_version
        FROM host h JOIN host_goal_version v ON v.host_id = h.id WHERE h.id = p_host AND h.state <> 'REMOVED';
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RETURN 'STALE';
    END IF;

    WITH said AS MATERIALIZED (
        SELECT decode(s.id, 'hex') AS member, s.*
        FROM jsonb_to_recordset(p_report -> 'members')
             AS s(id text, unit text, role text, running text, timeline bigint, "lagBytes" bigint, version text,
                  "goalGeneration" bigint, "accessGeneration" bigint, "restartNonce" bigint, "pendingRestart" boolean, problem text)
    ), mine AS MATERIALIZED (
        SELECT m.id, m.cluster_id, m.reported_at, s.unit, s.role, s.running, s.timeline, s."lagBytes" AS lag_bytes, s.version,
               -- Nobody has reached what is not asked for yet.
               least(s."goalGeneration", c.goal_generation) AS applied_goal,
               least(s."accessGeneration", coalesce(a.generation, 0)) AS applied_access,
               least(s."restartNonce", m.restart_nonce) AS applied_restart,
               s."pendingRestart" AS pending_restart, s.problem,
               (m.unit, m.role, m.running, m.timeline, m.version, m.applied_goal, m.applied_access, m.applied_restart,
                m.pending_restart, m.problem)
               IS DISTINCT FROM
               (s.unit, s.role, s.running, s.timeline, s.version, least(s."goalGeneration", c.goal_generation),
                least(s."accessGeneration", coalesce(a.generation, 0)), least(s."restartNonce", m.restart_nonce),
                s."pendingRestart", s.problem) AS changed,
               m.lag_bytes IS DISTINCT FROM s."lagBytes" AS moved
        FROM said s
        JOIN cluster_member m ON m.id = s.member AND m.host_id = p_host
        JOIN cluster c ON c.id = m.cluster_id
        LEFT JOIN project_access a ON a.project_id = c.project_id
        ORDER BY m.id
    ), written AS (
        UPDATE cluster_member m
        SET unit = n.unit, role = n.role, running = n.running, timeline = n.timeline, lag_bytes = n.lag_bytes, version = n.version,
            applied_goal = n.applied_goal, applied_access = n.applied_access, applied_restart = n.applied_restart,
            pending_restart = n.pending_restart, problem = n.problem, reported_at = now()
        FROM mine n
        -- A report that says nothing new does not rewrite every member of the host each time.
        WHERE m.id = n.id AND m.host_id = p_host
          AND (n.changed OR n.moved OR n.reported_at IS NULL OR n.reported_at < now() - interval '30 seconds')
    )
    SELECT array_agg(DISTINCT n.cluster_id::bytea) FILTER (WHERE n.changed OR n.moved),
           (SELECT count(*) FROM said s JOIN cluster_member m ON m.id = s.member WHERE m.host_id <> p_host) > 0
        INTO v_clusters, v_foreign FROM mine n;

    WITH done AS (
        UPDATE host_task t SET outcome = s.outcome, detail = s.detail, finished_at = now()
        FROM jsonb_to_recordset(p_report -> 'tasks') AS s(id text, outcome text, detail text)
        WHERE t.id = decode(s.id, 'hex') AND t.host_id = p_host AND t.outcome IS NULL
        RETURNING t.member_id
    )
    SELECT array_agg(DISTINCT m.cluster_id::bytea) INTO v_tasks FROM done d JOIN cluster_member m ON m.id = d.member_id;
    PERFORM pg_notify('reeve_job', encode(c, 'hex')) FROM (SELECT DISTINCT unnest(v_clusters || v_tasks)) AS all_of_them(c);

    -- Nothing is lost with a report that only says that all is as before: the next one says it again. So it waits for no disk.
    IF v_clusters IS NULL AND v_tasks IS NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    SELECT h.facts || (p_report -> 'facts') INTO v_facts FROM host h WHERE h.id = p_host;
    UPDATE host h SET last_seen_at = now(), seen_version = least((p_report ->> 'version')::bigint, v_version),
        address = coalesce((v_facts ->> 'address')::inet, h.address),
        facts = CASE WHEN h.facts = v_facts THEN h.facts ELSE v_facts END
        WHERE h.id = p_host;
    RETURN CASE WHEN v_foreign THEN 'FOREIGN' ELSE 'OK' END;
END $$;

-- ---- A project that moves or goes ----
CREATE FUNCTION fleet_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE dns_record d SET org_id = NEW.org_id FROM cluster c WHERE c.project_id = NEW.id AND d.cluster_id = c.id;
    UPDATE host_task t SET org_id = NEW.org_id
        FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.project_id = NEW.id AND t.member_id = m.id;
    UPDATE cluster_member m SET org_id = NEW.org_id FROM cluster c WHERE c.project_id = NEW.id AND m.cluster_id = c.id;
    UPDATE cluster SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE project_access SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE authority SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER fleet_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION fleet_project_moved();

CREATE FUNCTION fleet_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM project_access WHERE project_id = OLD.id;
    DELETE FROM certificate c USING authority a WHERE a.project_id = OLD.id AND c.authority = a.id;
    DELETE FROM authority WHERE project_id = OLD.id;
    RETURN OLD;
END $$;
CREATE TRIGGER fleet_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION fleet_project_deleted();

DO $$
DECLARE
    v_function text;
BEGIN
    FOREACH v_function IN ARRAY ARRAY[
        'cluster_touch(bytea)', 'project_access_make(bytea)', 'access_touch(bytea)', 'member_release(bytea)',
        'member_place(bytea, int, text, text, text, int, boolean, int)', 'host_report(bytea, bigint, jsonb)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_tenant', v_function);
    END LOOP;
    FOREACH v_function IN ARRAY ARRAY['project_access_goal(bytea, text)', 'host_goal(bytea, text, json)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_reader', v_function);
    END LOOP;
END $$;

-- ---- Names ----
-- PowerDNS reads dns_record through views that look like its own tables, so its own statements work on them. They are in a schema
-- with the name of the role that reads them: it needs no search path and sees nothing else. They run as the owner.
CREATE TABLE dns_zone (
    id          int PRIMARY KEY CHECK (id = 1), -- a deployment has one: `domain` of reeve.conf
    name        text NOT NULL,
    nameservers text[] NOT NULL CHECK (cardinality(nameservers) > 0),
    contact     text NOT NULL -- hostmaster.example.org
);
ALTER TABLE dns_zone ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON dns_zone TO reeve_reader;
CREATE POLICY reader ON dns_zone FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON dns_zone TO reeve_tenant;
CREATE POLICY service ON dns_zone TO reeve_tenant USING (reeve_is_service());

-- Without its first labels. Names between the zone and a record exist, too, though they have no records: a resolver that asks label
-- by label must not hear that there is nothing below.
CREATE FUNCTION dns_parent(p_name text, p_labels int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substring(p_name FROM ('^(?:[^.]+\.){' || p_labels || '}(.+)$'));
CREATE INDEX dns_record_parent_1 ON dns_record (dns_parent(name, 1));
CREATE INDEX dns_record_parent_2 ON dns_record (dns_parent(name, 2));
CREATE INDEX dns_record_parent_3 ON dns_record (dns_parent(name, 3));

DO $$
DECLARE
    v_try int;
BEGIN
    -- As in 0005: roles belong to the whole server.
    FOR v_try IN 1..20 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_dns') THEN
                CREATE ROLE reeve_dns NOLOGIN;
            END IF;
            EXIT;
        EXCEPTION WHEN duplicate_object OR unique_violation OR internal_error THEN
            IF v_try = 20 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
END $$;
CREATE SCHEMA reeve_dns;
GRANT USAGE ON SCHEMA reeve_dns TO reeve_dns;

CREATE VIEW reeve_dns.domains AS
SELECT id, name::varchar(255) AS name, NULL::varchar(128) AS master, NULL::int AS last_check, 'NATIVE'::varchar(6) AS type,
       NULL::bigint AS notified_serial, NULL::varchar(40) AS account, NULL::text AS options, NULL::text AS catalog
FROM dns_zone;

CREATE VIEW reeve_dns.records AS
SELECT NULL::bigint AS id, 1 AS domain_id, d.name, d.type,
       -- PowerDNS wants the priority of an SRV record by itself.
       CASE WHEN d.type = 'SRV' THEN substring(d.content FROM '^\S+\s+(.*)$') ELSE d.content END AS content,
       d.ttl, CASE WHEN d.type = 'SRV' THEN substring(d.content FROM '^\d+')::int END AS prio, false AS disabled,
       NULL::text AS ordername, true AS auth
FROM dns_record d
UNION ALL
SELECT NULL, 1, z.name, 'SOA',
       z.nameservers[1] || ' ' || z.contact || ' ' || extract(epoch FROM now())::bigint || ' 3600 600 604800 1',
       60, NULL, false, NULL, true
FROM dns_zone z
UNION ALL
SELECT NULL, 1, z.name, 'NS', n, 60, NULL, false, NULL, true
FROM dns_zone z, unnest(z.nameservers) n
UNION ALL
SELECT NULL, 1, e.name, NULL, NULL, NULL, NULL, false, NULL, true
FROM (SELECT DISTINCT dns_parent(d.name, 1) AS name FROM dns_record d
      UNION ALL SELECT DISTINCT dns_parent(d.name, 2) FROM dns_record d
      UNION ALL SELECT DISTINCT dns_parent(d.name, 3) FROM dns_record d) e
JOIN dns_zone z ON right(e.name, length(z.name) + 1) = '.' || z.name;

-- Tables that PowerDNS asks for and that are empty here.
CREATE VIEW reeve_dns.domainmetadata AS
SELECT NULL::int AS id, NULL::int AS domain_id, NULL::varchar(32) AS kind, NULL::text AS content WHERE false;
CREATE VIEW reeve_dns.cryptokeys AS
SELECT NULL::int AS id, NULL::int AS domain_id, NULL::int AS flags, NULL::boolean AS active, NULL::boolean AS published,
       NULL::text AS content WHERE false;
CREATE VIEW reeve_dns.tsigkeys AS
SELECT NULL::int AS id, NULL::varchar(255) AS name, NULL::varchar(50) AS algorithm, NULL::varchar(255) AS secret WHERE false;
CREATE VIEW reeve_dns.comments AS
SELECT NULL::int AS id, NULL::int AS domain_id, NULL::varchar(255) AS name, NULL::varchar(10) AS type, NULL::int AS modified_at,
       NULL::varchar(40) AS account, NULL::text AS comment WHERE false;
CREATE VIEW reeve_dns.supermasters AS
SELECT NULL::inet AS ip, NULL::varchar(255) AS nameserver, NULL::varchar(40) AS account WHERE false;
GRANT SELECT ON ALL TABLES IN SCHEMA reeve_dns TO reeve_dns;
