-- Whether a member may have this address: one of its project's container in the region, if it has one there; otherwise one that is in
-- no container.
CREATE OR REPLACE FUNCTION address_is_for(a host_address, p_block cidr) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_block IS NOT NULL THEN pool_private(a) <<= p_block
                ELSE NOT EXISTS (SELECT FROM network_container n WHERE n.block >>= pool_private(a)) END
$$;
