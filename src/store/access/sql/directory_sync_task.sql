-- What is asked of a project's directory: its settings, the groups with who was in them, and the names that are taken.
-- scope: project :project
SELECT encode(p.org_id, 'hex') AS organization, encode(r.id, 'hex') AS resource, r.document::text AS document,
       (SELECT coalesce(json_agg(json_build_object('id', encode(u.id, 'hex'), 'name', u.name, 'members', to_json(coalesce(g.members, '{}')),
                                                   'skipped', coalesce(g.skipped, '[]'), 'roles', jsonb_array_length(coalesce(u.document -> 'roles', '[]')),
                                                   'emptyFor', coalesce(extract(epoch FROM now() - g.empty_since)::bigint, -1)) ORDER BY u.id), '[]')::text
        FROM resource u LEFT JOIN directory_group g ON g.group_id = u.id
        WHERE u.scope = :project AND u.kind = 'databaseUser' AND u.document ->> 'ldapAuthType' = 'GROUP') AS groups,
       (SELECT coalesce(json_object_agg(n.name, n.kind), '{}')::text
        FROM (SELECT t.name, min(t.kind) AS kind FROM resource t WHERE t.scope = :project AND t.kind IN ('databaseUser', 'customRole') GROUP BY t.name) n) AS names
FROM resource r JOIN project p ON p.id = r.scope
WHERE r.scope = :project AND r.kind = 'userSecurity'
