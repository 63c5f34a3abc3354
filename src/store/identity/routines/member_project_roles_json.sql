-- Roles of a member in each project of the organization.
CREATE OR REPLACE FUNCTION member_project_roles_json(p_org bytea, p_member bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object('groupId', encode(one.project_id, 'hex'), 'groupRoles', one.roles)
                             ORDER BY one.project_id), '[]')
    FROM (SELECT r.project_id::bytea, json_agg(r.role ORDER BY r.role) AS roles FROM member_role r
          WHERE r.org_id = p_org AND r.id = p_member AND r.project_id IS NOT NULL GROUP BY 1) one
$$;
