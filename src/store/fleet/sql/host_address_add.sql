-- Gives a host addresses for members: so many from the first one on. Those that a host has already are left as they are. Unless the prefix
-- of their network is said, it is the smallest one on a byte's boundary that the host itself is in as well.
-- scope: none, because hosts are the operator's
INSERT INTO host_address (address, private_address, prefix, host_id)
SELECT :first::inet + i, :private_first::inet + i,
       CASE WHEN :prefix::int > 0 THEN :prefix::int
            WHEN family(h.address) = family(:first::inet)
                THEN masklen(inet_merge(inet_merge(h.address, :first::inet), :first::inet + (:count::bigint - 1))) / 8 * 8
            ELSE CASE family(:first::inet) WHEN 4 THEN 24 ELSE 64 END END,
       h.id
FROM host h, generate_series(0, :count::bigint - 1) i
WHERE h.name = :host_name AND h.state <> 'REMOVED'
ON CONFLICT (address) DO NOTHING
