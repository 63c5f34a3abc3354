-- Members and people are shown with the teams that they are in.
CREATE FUNCTION team_ids_json(p_person bytea, p_organizations bytea[]) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(encode(m.team_id, 'hex') ORDER BY m.team_id), '[]')
    FROM team_member m
    WHERE m.person_id = p_person AND m.org_id = ANY (p_organizations)
$$;

CREATE OR REPLACE FUNCTION member_json(p_org bytea, p_member bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(m.id, 'hex'),
        'orgMembershipStatus', m.status,
        'username', m.username,
        'firstName', n.first_name,
        'lastName', n.last_name,
        'country', n.country,
        'createdAt', api_date(p.created_at),
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
    LEFT JOIN invitation i ON i.id = m.id AND i.org_id = m.org_id
    WHERE m.org_id = p_org AND m.id = p_member
$$;

CREATE OR REPLACE FUNCTION person_json(p_person bytea, p_organizations bytea[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', n.first_name,
        'lastName', n.last_name,
        'country', n.country,
        'createdAt', api_date(p.created_at),
        'roles', (SELECT coalesce(json_agg(
                      CASE WHEN g.project_id IS NULL
                           THEN json_build_object('orgId', encode(g.org_id, 'hex'), 'roleName', g.role)
                           ELSE json_build_object('groupId', encode(g.project_id, 'hex'), 'roleName', g.role) END
                      ORDER BY g.org_id, g.project_id NULLS FIRST, g.role), '[]')
                  FROM role_grant g WHERE g.principal_id = n.id AND g.org_id = ANY (p_organizations)),
        'teamIds', team_ids_json(n.id, p_organizations)))::text
    FROM person n JOIN principal p ON p.id = n.id
    WHERE n.id = p_person
$$;
