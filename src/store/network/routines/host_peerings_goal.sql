-- `peerings` of a host's goal: those of projects with members here in the container, and those of which it has an end that is to go.
CREATE OR REPLACE FUNCTION host_peerings_goal(p_host bytea) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH here AS MATERIALIZED (
        SELECT c.project_id, a.address, pool_private(a) AS private_address, c.port, CASE WHEN c.pooling THEN c.pooler_port ELSE 0 END AS pooler_port
        FROM cluster_member m
        JOIN cluster c ON c.id = m.cluster_id
        JOIN host_address a ON a.member_id = m.id
        WHERE m.host_id = p_host AND m.desired IN ('RUNNING', 'STOPPED')
    ), wanted AS (
        SELECT n.*, (SELECT json_agg(json_build_object(
                                'address', host(h.address),
                                'privateAddress', host(h.private_address),
                                'port', h.port,
                                'poolerPort', h.pooler_port) ORDER BY h.address)
                     FROM here h WHERE h.project_id = n.project_id AND h.private_address <<= o.block) AS members
        FROM network_peer n JOIN network_container o ON o.id = n.container_id
        WHERE n.project_id IN (SELECT h.project_id FROM here h) OR n.id IN (SELECT g.peer_id FROM network_peer_gateway g WHERE g.host_id = p_host)
    )
    SELECT coalesce(json_agg(json_build_object(
        'id', encode(w.id, 'hex'),
        'desired', w.desired,
        'port', w.port,
        'publicKey', w.public_key,
        'endpoint', CASE WHEN w.endpoint_port IS NOT NULL THEN json_build_object('address', host(w.endpoint_address), 'port', w.endpoint_port) END,
        'networks', to_json(w.blocks::text[]),
        'members', CASE WHEN w.desired = 'RUNNING' THEN w.members ELSE '[]' END) ORDER BY w.id), '[]')
    FROM wanted w
    WHERE CASE w.desired WHEN 'RUNNING' THEN w.members IS NOT NULL
                         ELSE EXISTS (SELECT FROM network_peer_gateway g WHERE g.peer_id = w.id AND g.host_id = p_host) END
$$;
REVOKE ALL ON FUNCTION host_peerings_goal(bytea) FROM PUBLIC;
