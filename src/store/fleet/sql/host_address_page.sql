-- A page of the addresses of a host, or of all, and who has them.
-- scope: none, because hosts are the operator's
WITH wanted AS (SELECT a.*, h.name FROM host_address a JOIN host h ON h.id = a.host_id WHERE :host = '' OR h.name = :host)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT address, host(address) AS key, json_build_object(
        'address', host(address), 'privateAddress', host(private_address), 'prefix', prefix, 'host', name,
        'memberId', encode(member_id, 'hex'))::text AS document
    FROM wanted ORDER BY address OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.address
