-- An invitation as the API shows it in the organization, or in a project.
CREATE OR REPLACE FUNCTION invitation_json(p_org bytea, p_invitation bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(i.id, 'hex'),
        'orgId', CASE WHEN p_project IS NULL THEN encode(i.org_id, 'hex') END,
        'orgName', CASE WHEN p_project IS NULL THEN o.name END,
        'groupId', encode(p.id, 'hex'),
        'groupName', p.name,
        'username', i.username,
        'inviterUsername', i.inviter_name,
        'createdAt', api_date(i.created_at),
        'expiresAt', api_date(i.expires_at),
        'roles', CASE WHEN p_project IS NULL THEN member_org_roles_json(p_org, p_invitation)
                      ELSE member_roles_json(p_org, p_invitation, p_project) END,
        'groupRoleAssignments', CASE WHEN p_project IS NULL THEN
            (SELECT coalesce(json_agg(json_build_object('groupId', encode(r.project_id, 'hex'), 'groupRole', r.role)
                                      ORDER BY r.project_id, r.role), '[]')
             FROM invitation_role r WHERE r.invitation_id = i.id AND r.project_id IS NOT NULL) END,
        'teamIds', CASE WHEN p_project IS NULL THEN '[]'::json END))::text
    FROM invitation i
    JOIN organization o ON o.id = i.org_id
    LEFT JOIN project p ON p.id = p_project AND p.org_id = i.org_id
    WHERE i.org_id = p_org AND i.id = p_invitation AND i.accepted_at IS NULL
$$;
