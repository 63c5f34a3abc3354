-- Gives a host addresses for members: so many from the first one on. Those that a host has already are left as they are. Unless the prefix
-- of their network is said, it is the smallest one on a byte's boundary that the host itself is in as well.
-- scope: none, because hosts are the operator's
INSERT INTO host_address (address, private_address, prefix, host_id)
SELECT $2::inet + i, $3::inet + i,
       CASE WHEN $4::int > 0 THEN $4::int
            WHEN family(h.address) = family($2::inet)
                THEN masklen(inet_merge(inet_merge(h.address, $2::inet), $2::inet + ($5::bigint - 1))) / 8 * 8
            ELSE CASE family($2::inet) WHEN 4 THEN 24 ELSE 64 END END,
       h.id
FROM host h, generate_series(0, $5::bigint - 1) i
WHERE h.name = $1 AND h.state <> 'REMOVED'
ON CONFLICT (address) DO NOTHING
