-- Roles of a member in a project, or in the organization when p_project is NULL.
CREATE OR REPLACE FUNCTION member_roles_json(p_org bytea, p_member bytea, p_project bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(r.role ORDER BY r.role), '[]')
    FROM member_role r
    WHERE r.org_id = p_org AND r.id = p_member AND r.project_id IS NOT DISTINCT FROM p_project
$$;
