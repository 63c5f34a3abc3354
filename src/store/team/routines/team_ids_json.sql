-- The teams that a person is in, within these organizations.
CREATE OR REPLACE FUNCTION team_ids_json(p_person bytea, p_organizations bytea[]) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(encode(m.team_id, 'hex') ORDER BY m.team_id), '[]')
    FROM team_member m
    WHERE m.person_id = p_person AND m.org_id = ANY (p_organizations)
$$;
