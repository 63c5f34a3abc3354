-- Why a peering of a container cannot lead to these networks, or to this gateway; NULL when nothing is in the way. Until the transaction ends no other
-- peering is made anywhere, and nothing is placed.
--   FAMILY    the container has addresses of the other kind
--   SPECIAL   it is no network of hosts: loopback, one link, many at once
--   LARGE     more than somebody has at home
--   OPERATOR  it has addresses of the operator's: of hosts, or of their pool
--   PEER      another peering of the container leads there
--   TWICE     two of the networks overlap
--   GATEWAY   the gateway has an address of the operator's
CREATE OR REPLACE FUNCTION peer_obstacle(p_container bytea, p_peer bytea, p_blocks cidr[], p_endpoint inet) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_container network_container;
BEGIN
    SELECT n.* INTO v_container FROM network_container n WHERE n.id = p_container AND reeve_acts_for(n.org_id);
    PERFORM placement_lock();
    RETURN CASE
        WHEN EXISTS (SELECT FROM unnest(p_blocks) b WHERE family(b) <> family(v_container.block)) THEN 'FAMILY'
        WHEN EXISTS (SELECT FROM unnest(p_blocks) b, unnest('{0.0.0.0/8,127.0.0.0/8,169.254.0.0/16,224.0.0.0/3,::/8,fe80::/10,ff00::/8}'::cidr[]) s
                     WHERE b && s) THEN 'SPECIAL'
        WHEN EXISTS (SELECT FROM unnest(p_blocks) b WHERE masklen(b) < CASE family(b) WHEN 4 THEN 8 ELSE 32 END) THEN 'LARGE'
        WHEN EXISTS (SELECT FROM unnest(p_blocks) b JOIN host_address a ON a.address <<= b OR a.private_address <<= b)
             OR EXISTS (SELECT FROM unnest(p_blocks) b JOIN host h ON h.address <<= b)
             OR EXISTS (SELECT FROM unnest(p_blocks) b WHERE b && v_container.block) THEN 'OPERATOR'
        WHEN EXISTS (SELECT FROM unnest(p_blocks) b, network_peer n, unnest(n.blocks) t
                     WHERE n.container_id = p_container AND n.id <> p_peer AND b && t) THEN 'PEER'
        WHEN EXISTS (SELECT FROM unnest(p_blocks) WITH ORDINALITY AS a(b, i), unnest(p_blocks) WITH ORDINALITY AS c(b, i)
                     WHERE a.i < c.i AND a.b && c.b) THEN 'TWICE'
        WHEN EXISTS (SELECT FROM host_address a WHERE p_endpoint IN (a.address, a.private_address))
             OR EXISTS (SELECT FROM host h WHERE h.address = p_endpoint) THEN 'GATEWAY'
    END;
END $$;
REVOKE ALL ON FUNCTION peer_obstacle(bytea, bytea, cidr[], inet) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION peer_obstacle(bytea, bytea, cidr[], inet) TO reeve_tenant;
