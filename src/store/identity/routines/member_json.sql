-- A member as the API shows it in the organization, or in a project.
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
