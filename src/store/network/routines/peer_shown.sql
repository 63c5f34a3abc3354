-- The same for transactions of tenants, which do not see hosts; NULL when it is nobody's, or somebody else's.
CREATE OR REPLACE FUNCTION peer_shown(p_peer bytea) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT peer_json(n) FROM network_peer n WHERE n.id = p_peer AND reeve_acts_for(n.org_id)
$$;
REVOKE ALL ON FUNCTION peer_shown(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION peer_shown(bytea) TO reeve_tenant;
