-- Roles of a credential in a project, or in the organization when p_project is NULL.
CREATE OR REPLACE FUNCTION roles_json(p_principal bytea, p_org bytea, p_project bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(g.role ORDER BY g.role), '[]')
    FROM role_grant g
    WHERE g.principal_id = p_principal AND g.org_id = p_org AND g.project_id IS NOT DISTINCT FROM p_project
$$;
