-- The addresses of a host, or of all, and who has them.
-- scope: none, because hosts are the operator's
SELECT coalesce(json_agg(json_build_object(
    'address', host(a.address), 'privateAddress', host(a.private_address), 'prefix', a.prefix, 'host', h.name,
    'memberId', encode(a.member_id, 'hex')) ORDER BY a.address), '[]')::text AS json
FROM host_address a JOIN host h ON h.id = a.host_id
WHERE :host = '' OR h.name = :host
