-- The lowest port that no peering of the region has, after peer_obstacle() in the same transaction; NULL when all are taken.
CREATE OR REPLACE FUNCTION peer_port(p_provider text, p_region text) RETURNS int
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT min(p) FROM generate_series(51820, 55915) p
    WHERE NOT EXISTS (SELECT FROM network_peer n WHERE n.provider = p_provider AND n.region = p_region AND n.port = p)
$$;
REVOKE ALL ON FUNCTION peer_port(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION peer_port(text, text) TO reeve_tenant;
