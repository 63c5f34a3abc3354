-- A new peering of a container; no row when no port is left in the region.
-- scope: project :project
INSERT INTO network_peer (id, org_id, project_id, container_id, provider, region, port, public_key, endpoint_address, endpoint_port, blocks)
SELECT :peer, n.org_id, n.project_id, n.id, n.provider, n.region, p.port, :public_key, nullif(:endpoint_address, '')::inet, nullif(:endpoint_port::bigint, 0)::int,
       string_to_array(:blocks, ',')::cidr[]
FROM network_container n, LATERAL (SELECT peer_port(n.provider, n.region) AS port) p
WHERE n.project_id = :project AND n.id = :container AND p.port IS NOT NULL
RETURNING port
