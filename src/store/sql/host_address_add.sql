-- Gives a host addresses for members: so many from the first one on. Those that a host has already are left as they are.
-- scope: none, because hosts are the operator's
INSERT INTO host_address (address, private_address, prefix, host_id)
SELECT $2::inet + i, $3::inet + i, $4::int, h.id
FROM host h, generate_series(0, $5::bigint - 1) i
WHERE h.name = $1 AND h.state <> 'REMOVED'
ON CONFLICT (address) DO NOTHING
