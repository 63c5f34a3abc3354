-- The network of a tenant, if any, that has one of so many addresses from the first one on. Until the transaction ends no peering is made.
CREATE OR REPLACE FUNCTION address_peered(p_first inet, p_count bigint) RETURNS cidr
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'networks of all tenants are looked at by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM placement_lock();
    RETURN (SELECT min(b::inet)::cidr FROM network_peer n, unnest(n.blocks) b
            WHERE family(b) = family(p_first) AND host(network(b))::inet <= p_first + (p_count - 1) AND host(broadcast(b))::inet >= p_first);
END $$;
REVOKE ALL ON FUNCTION address_peered(inet, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION address_peered(inet, bigint) TO reeve_tenant;
