-- How an API key looks in the API.
CREATE OR REPLACE FUNCTION api_key_json(p_key bytea, p_org bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(k.id, 'hex'),
        'publicKey', k.public_key,
        'privateKey', k.mask,
        'desc', k.description,
        'roles', role_assignments_json(k.id, p_org))::text
    FROM api_key k
    WHERE k.org_id = p_org AND k.id = p_key
$$;
