-- Why an endpoint cannot have this address at a service; NULL when it can.
--   OURS    a host or a member has it
--   FAMILY  the service has an address of the other protocol
--   FULL    the service has as many endpoints as one can have
CREATE OR REPLACE FUNCTION private_endpoint_obstacle(p_service bytea, p_address inet) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM host_address a WHERE p_address IN (a.address, a.private_address))
                  OR EXISTS (SELECT FROM host h WHERE h.address = p_address AND h.state <> 'REMOVED') THEN 'OURS'
                WHEN family(s.address) <> family(p_address) THEN 'FAMILY'
                WHEN (SELECT count(*) FROM private_endpoint e WHERE e.service_id = s.id) >= 64 THEN 'FULL' END
    FROM private_endpoint_service s WHERE s.id = p_service AND reeve_acts_for(s.org_id)
$$;
REVOKE ALL ON FUNCTION private_endpoint_obstacle(bytea, inet) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION private_endpoint_obstacle(bytea, inet) TO reeve_tenant;
