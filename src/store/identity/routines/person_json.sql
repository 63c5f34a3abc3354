-- A person as somebody sees who belongs to these organizations: of the roles only those granted there. A person who told no names
-- has none, which is not the same as an empty one.
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
