-- A person as the organization sees its members.
CREATE OR REPLACE FUNCTION team_user_json(p_person bytea, p_org bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', c.first_name,
        'lastName', c.last_name,
        'createdAt', api_date(p.created_at),
        'orgMembershipStatus', 'ACTIVE',
        'roles', json_build_object(
            'orgRoles', roles_json(n.id, p_org, NULL),
            'groupRoleAssignments', (
                SELECT coalesce(json_agg(a.assignment), '[]')
                FROM (SELECT json_build_object('groupId', encode(g.project_id, 'hex'),
                                               'groupRoles', json_agg(g.role ORDER BY g.role)) AS assignment
                      FROM role_grant g
                      WHERE g.principal_id = n.id AND g.org_id = p_org AND g.project_id IS NOT NULL
                      GROUP BY g.project_id ORDER BY g.project_id) a)),
        'teamIds', (SELECT coalesce(json_agg(encode(m.team_id, 'hex') ORDER BY m.team_id), '[]')
                    FROM team_member m WHERE m.person_id = n.id AND m.org_id = p_org))::text
    FROM person n JOIN principal p ON p.id = n.id, LATERAL person_names(n.id, ARRAY[p_org]) c
    WHERE n.id = p_person
$$;
