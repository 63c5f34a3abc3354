-- Every role of a key, with where it is granted.
CREATE OR REPLACE FUNCTION role_assignments_json(p_principal bytea, p_org bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(
        CASE WHEN g.project_id IS NULL
             THEN json_build_object('orgId', encode(g.org_id, 'hex'), 'roleName', g.role)
             ELSE json_build_object('groupId', encode(g.project_id, 'hex'), 'roleName', g.role) END
        ORDER BY g.project_id NULLS FIRST, g.role), '[]')
    FROM role_grant g
    WHERE g.principal_id = p_principal AND g.org_id = p_org
$$;
