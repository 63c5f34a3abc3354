-- Who may connect to one cluster of a project, from the documents of its resources, and what its members are told about auditing and
-- about a directory, because that follows the same number (docs/internals/audit.md).
-- In plpgsql and with a plan that is kept, as host_goal() is: to plan it takes many times as long as to run it.
CREATE OR REPLACE FUNCTION project_access_goal(p_project bytea, p_cluster_name text) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN json_build_object(
        -- With the addresses from which relays of the project's private endpoints come.
        'networks', (SELECT coalesce(json_agg(n.network ORDER BY n.place, n.id), '[]')
                     FROM (SELECT coalesce(r.document ->> 'cidrBlock', (r.document ->> 'ipAddress')
                                           || CASE WHEN r.document ->> 'ipAddress' LIKE '%:%' THEN '/128' ELSE '/32' END) AS network, 0 AS place, r.id::bytea AS id
                           FROM resource r
                           WHERE r.scope = p_project AND r.kind = 'accessListEntry'
                             AND coalesce(r.document ->> 'cidrBlock', r.document ->> 'ipAddress') IS NOT NULL
                           UNION ALL
                           SELECT host(s.address) || '/' || masklen(s.address), 1, s.id::bytea
                           FROM private_endpoint_service s WHERE s.project_id = p_project AND s.removed_at IS NULL) n),
        'authorities', (SELECT coalesce(string_agg(coalesce(r.document ->> 'cas', r.document ->> 'certificate'), E'\n' ORDER BY r.id), '')
                        FROM resource r WHERE r.scope = p_project AND r.kind = 'userCertificateAuthority')
                       || coalesce((SELECT E'\n' || a.certificate FROM authority a
                                    WHERE a.purpose = 'PROJECT' AND a.project_id = p_project), ''),
        -- Beside those with a row of their own: people of groups in the project's directory, with the roles of all of their groups. Who has a row
        -- of their own has what is in that one.
        'users', (WITH account AS (
                      SELECT r.id, r.document, r.document ->> 'ldapAuthType' IS NOT DISTINCT FROM 'GROUP' AS is_group FROM resource r
                      WHERE r.scope = p_project AND r.kind = 'databaseUser'
                        AND (jsonb_array_length(coalesce(r.document -> 'scopes', '[]')) = 0
                             OR EXISTS (SELECT FROM jsonb_array_elements(r.document -> 'scopes') s
                                        WHERE s ->> 'name' = p_cluster_name AND coalesce(s ->> 'type', 'CLUSTER') = 'CLUSTER'))),
                  -- Whatever is stored, it is no more than an agent takes: the oldest groups whose people have 5000 roles together.
                  -- The worker keeps to the same number and tells who has too many (job/access/directory_sync.c).
                  member_group AS (
                      SELECT r.document, g.members, sum(cardinality(g.members) * greatest(jsonb_array_length(coalesce(r.document -> 'roles', '[]')), 1)) OVER (ORDER BY r.id) AS roles_until
                      FROM account r JOIN directory_group g ON g.group_id = r.id WHERE r.is_group),
                  told AS (
                      SELECT r.id, r.document ->> 'username' AS name,
                             CASE WHEN coalesce(r.document ->> 'x509Type', 'NONE') <> 'NONE' THEN 'X509'
                                  WHEN coalesce(r.document ->> 'ldapAuthType', 'NONE') <> 'NONE' THEN 'LDAP'
                                  ELSE 'SCRAM' END AS login,
                             r.document ->> 'verifier' AS verifier, r.document ->> 'deleteAfterDate' AS until,
                             coalesce(r.document -> 'roles', '[]') AS roles
                      FROM account r WHERE NOT r.is_group
                      UNION ALL
                      SELECT NULL, m.name, 'LDAP', NULL,
                             CASE WHEN bool_and(r.document ->> 'deleteAfterDate' IS NOT NULL) THEN max((r.document ->> 'deleteAfterDate') COLLATE "C") END,
                             jsonb_agg(DISTINCT o.role)
                      FROM member_group r CROSS JOIN LATERAL unnest(r.members) AS m(name)
                           CROSS JOIN LATERAL jsonb_array_elements(coalesce(r.document -> 'roles', '[]')) AS o(role)
                      WHERE r.roles_until <= 5000 AND NOT EXISTS (SELECT FROM resource taken WHERE taken.scope = p_project AND taken.kind IN ('databaseUser', 'customRole')
                                                                                    AND taken.name = m.name)
                      GROUP BY m.name)
                  SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                             'name', r.name, 'login', r.login, 'verifier', r.verifier, 'validUntil', r.until,
                             'roles', (SELECT coalesce(json_agg(json_build_object('role', o ->> 'roleName', 'database', o ->> 'databaseName',
                                                                                  'collection', o ->> 'collectionName')), '[]')
                                       FROM (SELECT * FROM jsonb_array_elements(r.roles) LIMIT 100) most (o)))) ORDER BY r.id NULLS LAST, r.name), '[]')
                  FROM told r),
        -- Only of the very cluster that its owner opened, and only while the consent lasts: another one of that name gets none.
        'support', (SELECT json_agg(json_build_object(
                               'name', r.name, 'verifier', r.document ->> 'verifier', 'validUntil', r.document ->> 'deleteAfterDate',
                               'from', r.document ->> 'from',
                               'roles', (SELECT json_agg(json_build_object('role', o, 'database', 'admin', 'collection', ''))
                                         FROM jsonb_array_elements_text(r.document -> 'roles') o)) ORDER BY r.id)
                    FROM resource r JOIN resource c ON c.scope = r.scope AND c.kind = 'cluster' AND encode(c.id, 'hex') = r.document ->> 'clusterId'
                    WHERE r.scope = p_project AND r.kind = 'supportSession' AND c.name = p_cluster_name
                      AND document_in_force(c.document -> 'vendorEmployeeAccessGrant', 'expirationTime')),
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
        -- What sessions leave in the servers' logs; null when nothing is recorded.
        'audit', (SELECT (r.document -> 'rule') || jsonb_build_object('logins', coalesce(r.document -> 'auditAuthorizationSuccess', 'false'))
                  FROM resource r
                  WHERE r.scope = p_project AND r.kind = 'auditLog' AND (r.document ->> 'enabled')::boolean),
        -- The password in it is sealed; who sends the document opens it (fleet/goal_secret.c).
        'ldap', (SELECT r.document FROM resource r
                 WHERE r.scope = p_project AND r.kind = 'directoryLogin' AND r.document ? 'hostname'));
END $$;
REVOKE ALL ON FUNCTION project_access_goal(bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_access_goal(bytea, text) TO reeve_reader;
