-- The invoice that is still open, with its lines; there is at most one.
-- scope: organization :organization
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM invoice WHERE org_id = :organization AND status = 'PENDING') c
LEFT JOIN LATERAL (
    SELECT invoice_whole_json(i)::text AS document, i.id FROM invoice i WHERE i.org_id = :organization AND i.status = 'PENDING'
    ORDER BY i.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
