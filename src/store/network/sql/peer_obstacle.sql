-- Why a container cannot have a peering with these networks; empty when nothing is in the way.
-- scope: none, because the function looks at the operator's addresses, and only for the organization that the transaction named
SELECT coalesce(peer_obstacle(:container, :peer, string_to_array(:blocks, ',')::cidr[], nullif(:endpoint_address, '')::inet), '') AS obstacle
