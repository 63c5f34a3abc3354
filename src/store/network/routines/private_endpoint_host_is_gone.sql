-- Whether the operator removed the host of a service: nobody will say then that the service is gone there.
CREATE OR REPLACE FUNCTION private_endpoint_host_is_gone(p_service bytea) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM private_endpoint_service s JOIN host h ON h.id = s.host_id WHERE s.id = p_service AND h.state = 'REMOVED' AND reeve_acts_for(s.org_id))
$$;
REVOKE ALL ON FUNCTION private_endpoint_host_is_gone(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION private_endpoint_host_is_gone(bytea) TO reeve_tenant;
