-- The same for transactions of tenants, which do not see the pool. Until the transaction ends nothing is placed: what is unused stays so.
CREATE OR REPLACE FUNCTION container_is_held(p_container bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM placement_lock();
    RETURN EXISTS (SELECT FROM network_container n
                   WHERE n.id = p_container AND reeve_acts_for(n.org_id) AND container_is_used(n));
END $$;
REVOKE ALL ON FUNCTION container_is_held(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION container_is_held(bytea) TO reeve_tenant;
