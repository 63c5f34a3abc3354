-- How teams look in the API.
CREATE OR REPLACE FUNCTION team_json(t team) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object('id', encode(t.id, 'hex'), 'name', t.name)::text
$$;
