-- A peering that is to go is gone when no host has an end of it any more. Hosts that were removed have none. Answers whether it is gone.
-- Two hosts that close the last two ends take their turn: the second sees that the first has none.
CREATE OR REPLACE FUNCTION peer_sweep(p_peer bytea) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM FROM network_peer n WHERE n.id = p_peer AND n.desired = 'REMOVED' AND reeve_acts_for(n.org_id) FOR UPDATE;
    DELETE FROM network_peer n
    WHERE n.id = p_peer AND n.desired = 'REMOVED' AND reeve_acts_for(n.org_id)
      AND NOT EXISTS (SELECT FROM network_peer_gateway g JOIN host h ON h.id = g.host_id WHERE g.peer_id = n.id AND h.state <> 'REMOVED');
    RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION peer_sweep(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION peer_sweep(bytea) TO reeve_tenant;
