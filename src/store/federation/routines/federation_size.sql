-- How many organizations share the federation of one of them; a tenant sees only itself.
CREATE OR REPLACE FUNCTION federation_size(p_org bytea) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM organization o WHERE o.federation_id = (SELECT own.federation_id FROM organization own WHERE own.id = p_org)
$$;
