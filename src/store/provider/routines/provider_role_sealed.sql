-- What a host needs to write with a project's role, sealed: role/<id>:<keys>:<who signs for the store, in hexadecimal>. Without the operator's half it cannot be opened.
CREATE OR REPLACE FUNCTION provider_role_sealed(p_project bytea, p_role text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT concat('role/', encode(s.id, 'hex'), ':', encode(s.keys, 'hex'), ':', encode(convert_to(coalesce(o.authority, ''), 'UTF8'), 'hex'))
                     FROM provider_role_store(p_project, p_role) s JOIN object_store o ON o.name = s.store), 'role/gone:')
$$;
REVOKE ALL ON FUNCTION provider_role_sealed(bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION provider_role_sealed(bytea, text) TO reeve_reader;
