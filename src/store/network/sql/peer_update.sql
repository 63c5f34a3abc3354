-- Other networks, or another gateway, for a peering.
-- scope: project :project
UPDATE network_peer
SET public_key = :public_key, endpoint_address = nullif(:endpoint_address, '')::inet, endpoint_port = nullif(:endpoint_port::bigint, 0)::int,
    blocks = string_to_array(:blocks, ',')::cidr[]
WHERE project_id = :project AND id = :peer
