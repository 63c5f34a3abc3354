-- A team's roles in one project.
CREATE OR REPLACE FUNCTION team_role_json(p_team bytea, p_org bytea, p_project bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object('teamId', encode(p_team, 'hex'), 'roleNames', coalesce(json_agg(g.role ORDER BY g.role), '[]'))
    FROM team_grant g
    WHERE g.team_id = p_team AND g.org_id = p_org AND g.project_id = p_project
$$;
