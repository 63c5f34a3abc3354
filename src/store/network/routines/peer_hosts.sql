-- The hosts that have an end of a peering: with members of the project whose addresses, as private networks know them, are in the container's block.
CREATE OR REPLACE FUNCTION peer_hosts(n network_peer) RETURNS bytea[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(DISTINCT m.host_id::bytea), '{}')
    FROM network_container o
    JOIN cluster c ON c.project_id = o.project_id
    JOIN cluster_member m ON m.cluster_id = c.id AND m.desired IN ('RUNNING', 'STOPPED')
    JOIN host_address a ON a.member_id = m.id AND pool_private(a) <<= o.block
    WHERE o.id = n.container_id AND n.desired = 'RUNNING'
$$;
