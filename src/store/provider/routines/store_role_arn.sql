-- The name by which a project asks for a role in an object store.
CREATE OR REPLACE FUNCTION store_role_arn(p_role store_role) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'arn:reeve:s3::' || p_role.store || ':role/' || p_role.name
$$;
