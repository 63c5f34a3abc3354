-- The operator's half of a project's role, while there is one and the project has assumed it. For functions only: it has the keys.
CREATE OR REPLACE FUNCTION provider_role_store(p_project bytea, p_role text) RETURNS SETOF store_role LANGUAGE sql STABLE AS $$
    SELECT s.* FROM resource r JOIN store_role s ON s.id = decode(r.document -> 'internal' ->> 'storeRole', 'hex')
    WHERE r.scope = p_project AND r.kind = 'providerRole' AND r.name = p_role AND s.external_id::text = r.document ->> 'serviceAssumedRoleExternalId'
$$;
REVOKE ALL ON FUNCTION provider_role_store(bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION provider_role_store(bytea, text) TO reeve_reader;
