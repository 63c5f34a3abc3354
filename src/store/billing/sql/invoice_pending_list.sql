-- The invoice that is still open, with its lines; there is at most one.
-- scope: organization $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM invoice WHERE org_id = $1 AND status = 'PENDING') c
LEFT JOIN LATERAL (
    SELECT invoice_whole_json(i)::text AS document, i.id FROM invoice i WHERE i.org_id = $1 AND i.status = 'PENDING'
    ORDER BY i.id OFFSET $2::bigint LIMIT $3::bigint) p ON true
