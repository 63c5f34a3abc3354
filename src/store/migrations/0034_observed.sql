-- What was missing from answers: who signed in when, and from where credentials were used.

-- A person who told no names has none, which is not the same as an empty one.
CREATE OR REPLACE FUNCTION person_json(p_person bytea, p_organizations bytea[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', nullif(c.first_name, ''),
        'lastName', nullif(c.last_name, ''),
        'country', c.country,
        'createdAt', api_date(p.created_at),
        'lastAuth', (SELECT api_date(max(f.signed_in_at)) FROM federated_member f
                     WHERE f.person_id = n.id AND f.org_id = ANY (p_organizations)),
        'roles', (SELECT coalesce(json_agg(
                      CASE WHEN g.project_id IS NULL
                           THEN json_build_object('orgId', encode(g.org_id, 'hex'), 'roleName', g.role)
                           ELSE json_build_object('groupId', encode(g.project_id, 'hex'), 'roleName', g.role) END
                      ORDER BY g.org_id, g.project_id NULLS FIRST, g.role), '[]')
                  FROM role_grant g WHERE g.principal_id = n.id AND g.org_id = ANY (p_organizations)),
        'teamIds', team_ids_json(n.id, p_organizations)))::text
    FROM person n JOIN principal p ON p.id = n.id, LATERAL person_names(n.id, p_organizations) c
    WHERE n.id = p_person
$$;

CREATE OR REPLACE FUNCTION member_json(p_org bytea, p_member bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(m.id, 'hex'),
        'orgMembershipStatus', m.status,
        'username', m.username,
        'firstName', nullif(c.first_name, ''),
        'lastName', nullif(c.last_name, ''),
        'country', c.country,
        'createdAt', api_date(p.created_at),
        'lastAuth', (SELECT api_date(f.signed_in_at) FROM federated_member f WHERE f.org_id = p_org AND f.person_id = n.id),
        'invitationCreatedAt', api_date(i.created_at),
        'invitationExpiresAt', api_date(i.expires_at),
        'inviterUsername', i.inviter_name,
        'roles', CASE WHEN p_project IS NULL
                      THEN json_build_object('orgRoles', member_org_roles_json(p_org, p_member),
                                             'groupRoleAssignments', member_project_roles_json(p_org, p_member))
                      ELSE member_roles_json(p_org, p_member, p_project) END,
        'teamIds', CASE WHEN p_project IS NULL THEN team_ids_json(p_member, ARRAY[p_org]) END))::text
    FROM member m
    LEFT JOIN person n ON n.id = m.id
    LEFT JOIN principal p ON p.id = n.id
    LEFT JOIN LATERAL person_names(n.id, ARRAY[p_org]) c ON true
    LEFT JOIN invitation i ON i.id = m.id AND i.org_id = m.org_id
    WHERE m.org_id = p_org AND m.id = p_member
$$;

-- From where and how often an entry of an access list was used. Nodes of the version before count nothing.
ALTER TABLE access_list_entry ADD COLUMN last_used_address inet,
                              ADD COLUMN request_count     bigint NOT NULL DEFAULT 0;

-- Entries of API keys and of service accounts have the same fields under names of their own. The function with one parameter is that of
-- nodes of the version before.
CREATE FUNCTION access_entry_json(e access_list_entry, p_of_key boolean) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'cidrBlock', text(e.block),
        'ipAddress', CASE WHEN masklen(e.block) = CASE family(e.block) WHEN 4 THEN 32 ELSE 128 END THEN host(e.block) END,
        'comment', nullif(e.comment, ''),
        CASE WHEN p_of_key THEN 'created' ELSE 'createdAt' END, api_date(e.created_at),
        CASE WHEN p_of_key THEN 'lastUsed' ELSE 'lastUsedAt' END, api_date(e.last_used_at),
        'lastUsedAddress', host(e.last_used_address),
        CASE WHEN p_of_key THEN 'count' ELSE 'requestCount' END, e.request_count))::text
$$;

-- What is open about a cluster is counted for the list of all clusters.
CREATE INDEX alert_open_of_cluster ON alert (project_id, cluster) WHERE status = 'OPEN' AND cluster IS NOT NULL;

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
        'backupEnabled', false,
        'authEnabled', true,
        'sslEnabled', true) ORDER BY c.id), '[]')
    FROM cluster c
    CROSS JOIN LATERAL (
        SELECT count(*) AS members, coalesce(jsonb_agg(DISTINCT m.version) FILTER (WHERE m.version IS NOT NULL), '[]') AS versions,
               count(*) FILTER (WHERE m.role = 'PRIMARY') AS primaries, count(*) FILTER (WHERE m.role = 'NONE') AS silent
        FROM cluster_member m WHERE m.cluster_id = c.id AND m.desired <> 'REMOVED') m
    WHERE c.project_id = p_project
$$;

CREATE OR REPLACE FUNCTION cluster_connection_strings(p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH target AS (
        SELECT DISTINCT d.name, split_part(d.name, '.', 1) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type IN ('A', 'AAAA')),
    names AS (
        SELECT array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t.private) AS standard,
               array_agg(t.name ORDER BY t.name) FILTER (WHERE t.private) AS private
        FROM target t),
    drivers AS (
        SELECT cluster_driver_strings(n.standard) AS standard, cluster_driver_strings(n.private) AS private FROM names n),
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
        'privateDrivers', d.private))
    FROM drivers d
$$;

-- When a simulated outage ends by itself. Those that nodes of the version before begin have no such date.
CREATE INDEX resource_outage_ends ON resource ((document ->> 'expirationDate') COLLATE "C")
    WHERE kind = 'outageSimulation' AND state IN ('START_REQUESTED', 'STARTING', 'SIMULATING');
