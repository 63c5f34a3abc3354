-- Clusters as tenants see them, and what requests and jobs need to know about the hosts behind them.

-- Clusters and flex clusters of a project share their names: both stand in connection strings, events and scopes of users.
CREATE UNIQUE INDEX cluster_name_in_project ON cluster (project_id, name);
ALTER TABLE cluster ADD COLUMN next_ordinal int NOT NULL DEFAULT 0; -- of the next member: numbers are not used again

-- What the last restart was for: a step that runs again knows whether it asked already. (The nonce only counts.)
ALTER TABLE cluster_member ADD COLUMN restart_goal bigint NOT NULL DEFAULT 0;

-- ---- How a cluster looks ----
CREATE FUNCTION cluster_connection_string(p_scheme text, p_hosts text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN p_scheme || '://<DB_USER>:<DB_PASSWORD>@' || p_hosts || '/postgres?target_session_attrs=read-write&sslmode=verify-full';

-- From the names that exist: a string is shown when, and only when, it can be used. The placeholders are the client's to fill.
CREATE FUNCTION cluster_connection_strings(p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH target AS (
        SELECT DISTINCT d.name, split_part(d.name, '.', 1) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type IN ('A', 'AAAA')),
    service AS (
        SELECT DISTINCT replace(d.name, '_postgresql._tcp.', '') AS name, split_part(d.name, '.', 3) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type = 'SRV')
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'standard', (SELECT cluster_connection_string('postgresql', string_agg(t.name || ':27017', ',' ORDER BY t.name))
                     FROM target t WHERE NOT t.private),
        'standardSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s WHERE NOT s.private),
        'private', (SELECT cluster_connection_string('postgresql', string_agg(t.name || ':27017', ',' ORDER BY t.name))
                    FROM target t WHERE t.private),
        'privateSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s WHERE s.private)))
$$;

-- A consent or a pin that has run out is not there any more.
CREATE FUNCTION document_in_force(p_part jsonb, p_until text) RETURNS boolean LANGUAGE sql STABLE
    RETURN p_part IS NOT NULL AND (p_part ->> p_until IS NULL OR (p_part ->> p_until)::timestamptz > now());

CREATE VIEW cluster_document WITH (security_invoker = true) AS
SELECT r.scope, r.kind, r.id, r.name, r.org_id, r.state, r.generation, r.observed_generation,
       (r.document - 'processArgs' - 'pin' - 'vendorEmployeeAccessGrant'
        || jsonb_build_object(
            'id', encode(r.id, 'hex'),
            'groupId', encode(r.scope, 'hex'),
            'name', r.name,
            'stateName', r.state,
            'createDate', api_date(r.created_at),
            'connectionStrings', cluster_connection_strings(r.id),
            'generation', r.generation,
            'observedGeneration', r.observed_generation)
        || CASE WHEN r.kind = 'cluster' THEN jsonb_strip_nulls(jsonb_build_object(
               'featureCompatibilityVersion', CASE WHEN document_in_force(r.document -> 'pin', 'until')
                                                   THEN r.document -> 'pin' ->> 'version' ELSE c.major_version END,
               'featureCompatibilityVersionExpirationDate', CASE WHEN document_in_force(r.document -> 'pin', 'until')
                                                                 THEN r.document -> 'pin' ->> 'until' END,
               'vendorEmployeeAccessGrant', CASE WHEN document_in_force(r.document -> 'vendorEmployeeAccessGrant', 'expirationTime')
                                                 THEN r.document -> 'vendorEmployeeAccessGrant' END))
           ELSE '{}' END
        || jsonb_strip_nulls(jsonb_build_object('dbVersion', (
               SELECT m.version FROM cluster_member m WHERE m.cluster_id = r.id AND m.version IS NOT NULL
               ORDER BY m.role = 'PRIMARY' DESC, m.ordinal LIMIT 1))))::text AS document
FROM resource r JOIN cluster c ON c.id = r.id
WHERE r.kind IN ('cluster', 'flexCluster');

-- The clusters of a project in short form, for overviews.
CREATE FUNCTION project_clusters(p_project bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'clusterId', encode(c.id, 'hex'),
        'name', c.name,
        'type', 'REPLICA_SET',
        'nodeCount', m.members,
        'versions', m.versions,
        'availability', CASE WHEN m.primaries > 0 AND m.silent = 0 THEN 'available' WHEN m.primaries > 0 THEN 'warning'
                             WHEN m.silent < m.members THEN 'unavailable' ELSE 'dead' END,
        'authEnabled', true,
        'sslEnabled', true) ORDER BY c.id), '[]')
    FROM cluster c
    CROSS JOIN LATERAL (
        SELECT count(*) AS members, coalesce(jsonb_agg(DISTINCT m.version) FILTER (WHERE m.version IS NOT NULL), '[]') AS versions,
               count(*) FILTER (WHERE m.role = 'PRIMARY') AS primaries, count(*) FILTER (WHERE m.role = 'NONE') AS silent
        FROM cluster_member m WHERE m.cluster_id = c.id AND m.desired <> 'REMOVED') m
    WHERE c.project_id = p_project
$$;
CREATE VIEW project_overview WITH (security_invoker = true) AS
SELECT p.id, p.org_id,
       json_build_object(
           'groupId', encode(p.id, 'hex'),
           'groupName', p.name,
           'orgId', encode(p.org_id, 'hex'),
           'orgName', o.name,
           'tags', coalesce(p.settings -> 'tags', '[]'),
           'clusters', project_clusters(p.id))::text AS document
FROM project p JOIN organization o ON o.id = p.org_id;

-- Flex clusters count as well.
CREATE OR REPLACE VIEW project_document WITH (security_invoker = true) AS
SELECT id, org_id, name, revision,
       json_build_object(
           'id', encode(id, 'hex'),
           'name', name,
           'orgId', encode(org_id, 'hex'),
           'created', api_date(created_at),
           'clusterCount', coalesce((SELECT sum(total) FROM list_counter c
                                     WHERE c.scope = project.id AND c.kind IN ('cluster', 'flexCluster')), 0),
           'tags', coalesce(settings -> 'tags', '[]'),
           'withDefaultAlertsSettings', coalesce(settings -> 'withDefaultAlertsSettings', 'true'))::text AS document
FROM project;

GRANT SELECT ON cluster_document, project_overview TO reeve_tenant, reeve_reader;

-- ---- What belongs to no tenant, seen through a cluster that does ----
-- The members of a cluster with where they are.
CREATE FUNCTION cluster_members(p_cluster bytea)
RETURNS TABLE (id bytea, ordinal int, desired text, size text, disk_gb int, electable boolean, priority int, provider text,
               region text, host_leaves boolean, host_gone boolean, address text, private_address text, unit text, role text, running text,
               version text, applied_goal bigint, restart_nonce bigint, restart_goal bigint, applied_restart bigint, pending_restart boolean,
               problem text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT m.id, m.ordinal, m.desired, m.size, m.disk_gb, m.electable, m.priority, h.provider, h.region, h.state <> 'ACTIVE',
           h.state = 'REMOVED', host(a.address), host(a.private_address), m.unit, m.role, m.running, m.version, m.applied_goal, m.restart_nonce,
           m.restart_goal, m.applied_restart, m.pending_restart, m.problem
    FROM cluster_member m JOIN host h ON h.id = m.host_id LEFT JOIN host_address a ON a.member_id = m.id
    WHERE m.cluster_id = p_cluster AND reeve_acts_for(m.org_id)
    ORDER BY m.ordinal
$$;

-- Another size on the same host; false, with nothing changed, when the host has no room for it.
CREATE FUNCTION member_resize(p_member bytea, p_size text, p_disk_gb int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_member cluster_member;
    v_size instance_size;
BEGIN
    PERFORM placement_lock();
    SELECT * INTO v_member FROM cluster_member m WHERE m.id = p_member AND reeve_acts_for(m.org_id) FOR UPDATE;
    SELECT * INTO v_size FROM instance_size s WHERE s.name = p_size;
    IF v_member.id IS NULL OR v_size.name IS NULL THEN
        RETURN false;
    END IF;
    UPDATE host h SET used_cpus = h.used_cpus - v_member.cpus + v_size.cpus,
        used_memory_mb = h.used_memory_mb - v_member.memory_mb + v_size.memory_mb,
        used_disk_gb = h.used_disk_gb - v_member.disk_gb + p_disk_gb
        WHERE h.id = v_member.host_id
          AND h.used_cpus - v_member.cpus + v_size.cpus <= h.cpus
          AND h.used_memory_mb - v_member.memory_mb + v_size.memory_mb <= h.memory_mb
          AND h.used_disk_gb - v_member.disk_gb + p_disk_gb <= h.disk_gb;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE cluster_member m SET size = v_size.name, cpus = v_size.cpus, memory_mb = v_size.memory_mb, disk_gb = p_disk_gb
        WHERE m.id = p_member;
    RETURN true;
END $$;

-- ---- Hosts that are emptied ----
-- Has a job move each cluster that has a member on the host, unless one is at it; how many members there still are. Clusters of many
-- tenants have members on one host, so only the service may, and only for a host that no new member comes to.
CREATE FUNCTION host_move_clusters(p_host bytea, p_kind text, p_first_step text, p_steps int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_added bigint;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'hosts are emptied by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    WITH added AS (
        INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, step, step_count)
        SELECT reeve_new_id(c.id), c.org_id, c.project_id, p_kind, c.id, c.name, p_first_step, p_steps
        FROM cluster c
        WHERE EXISTS (SELECT FROM cluster_member m JOIN host h ON h.id = m.host_id
                      WHERE m.cluster_id = c.id AND m.host_id = p_host AND h.state = 'DRAINING')
          AND NOT EXISTS (SELECT FROM job j WHERE j.subject = c.id AND j.kind = p_kind AND j.state IN ('QUEUED', 'RUNNING'))
        RETURNING subject)
    SELECT count(pg_notify('reeve_job', encode(a.subject, 'hex'))) INTO v_added FROM added a;
    -- One that the operator has activated again may keep them.
    RETURN (SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.host_id = p_host AND h.state = 'DRAINING');
END $$;

-- ---- Projects that go ----
-- The API refuses it before, with a reason; this holds whoever comes another way.
CREATE FUNCTION clusters_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM cluster WHERE project_id = OLD.id) THEN
        RAISE EXCEPTION 'project % still has clusters', encode(OLD.id, 'hex') USING ERRCODE = 'foreign_key_violation';
    END IF;
    DELETE FROM job WHERE project_id = OLD.id;
    RETURN OLD;
END $$;
CREATE TRIGGER clusters_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION clusters_project_deleted();

DO $$
DECLARE
    v_function text;
BEGIN
    FOREACH v_function IN ARRAY ARRAY['cluster_members(bytea)', 'member_resize(bytea, text, int)',
                                      'host_move_clusters(bytea, text, text, int)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_tenant', v_function);
    END LOOP;
END $$;
