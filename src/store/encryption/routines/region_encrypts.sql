-- Whether a host of the region can keep members under keys of their projects.
CREATE OR REPLACE FUNCTION region_encrypts(p_provider text, p_region text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM host h WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' AND h.provider = p_provider AND h.region = p_region
                     AND coalesce((h.facts ->> 'encrypts')::boolean, false))
$$;
REVOKE ALL ON FUNCTION region_encrypts(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION region_encrypts(text, text) TO reeve_reader, reeve_tenant;
