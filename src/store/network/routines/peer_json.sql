-- How a peering looks in the API.
--   INITIATING          not every host has made its end, or there is no member yet
--   PENDING_ACCEPTANCE  the tenant's gateway has not come to every end
CREATE OR REPLACE FUNCTION peer_json(n network_peer) RETURNS text LANGUAGE sql STABLE AS $$
    WITH ends AS (
        SELECT h.id, h.address, g.state, g.problem, g.public_key, g.handshake_at,
               (SELECT coalesce(json_agg(host(pool_private(a)) || CASE family(a.address) WHEN 4 THEN '/32' ELSE '/128' END ORDER BY pool_private(a)), '[]')
                FROM network_container o
                JOIN cluster c ON c.project_id = o.project_id
                JOIN cluster_member m ON m.cluster_id = c.id AND m.host_id = h.id AND m.desired IN ('RUNNING', 'STOPPED')
                JOIN host_address a ON a.member_id = m.id AND pool_private(a) <<= o.block
                WHERE o.id = n.container_id) AS routes
        FROM unnest(peer_hosts(n)) AS here(id)
        JOIN host h ON h.id = here.id AND h.state <> 'REMOVED'
        LEFT JOIN network_peer_gateway g ON g.peer_id = n.id AND g.host_id = h.id
    )
    SELECT json_build_object(
        'id', encode(n.id, 'hex'),
        'containerId', encode(n.container_id, 'hex'),
        'providerName', n.provider,
        'routeTableCidrBlock', n.blocks[1]::text,
        'furtherCidrBlocks', to_json(n.blocks[2:]::text[]),
        'gatewayPublicKey', n.public_key,
        'gatewayEndpoint', CASE WHEN family(n.endpoint_address) = 4 THEN host(n.endpoint_address) || ':' || n.endpoint_port
                                ELSE '[' || host(n.endpoint_address) || ']:' || n.endpoint_port END,
        'statusName', CASE WHEN n.desired = 'REMOVED' THEN 'TERMINATING'
                           WHEN EXISTS (SELECT FROM ends e WHERE e.state = 'FAILED') THEN 'FAILED'
                           WHEN (SELECT count(*) FILTER (WHERE e.public_key IS NOT NULL) < greatest(count(*), 1) FROM ends e) THEN 'INITIATING'
                           WHEN EXISTS (SELECT FROM ends e WHERE e.state <> 'OPEN') THEN 'PENDING_ACCEPTANCE'
                           ELSE 'AVAILABLE' END,
        'errorMessage', (SELECT min(e.problem) FROM ends e WHERE e.state = 'FAILED'),
        'gateways', (SELECT coalesce(json_agg(json_build_object(
                                'hostAddress', host(e.address),
                                'port', n.port,
                                'publicKey', e.public_key,
                                'routes', e.routes,
                                'lastHandshakeAt', api_date(e.handshake_at)) ORDER BY e.address), '[]')
                     FROM ends e WHERE e.public_key IS NOT NULL))::text
$$;
