-- A page of an organization's invoices, in one of the states of $2 (NULL: any) that begin between two moments (NULL: no bound); the
-- oldest first, or ($5) the newest.
-- scope: organization $1
WITH chosen AS MATERIALIZED (
    SELECT i.id, i.began_at FROM invoice i
    WHERE i.org_id = $1 AND ($2::text[] IS NULL OR i.status = ANY ($2::text[]))
      AND ($3::bigint IS NULL OR i.began_at >= to_timestamp($3::bigint / 1000.0))
      AND ($4::bigint IS NULL OR i.began_at <= to_timestamp($4::bigint / 1000.0)))
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM chosen) c
LEFT JOIN LATERAL (
    SELECT invoice_json(i)::text AS document, i.id, row_number() OVER (ORDER BY CASE WHEN $5::boolean THEN -extract(epoch FROM i.began_at) ELSE extract(epoch FROM i.began_at) END) AS place
    FROM invoice i WHERE i.org_id = $1 AND i.id IN (SELECT id FROM chosen)
    ORDER BY place OFFSET $6::bigint LIMIT $7::bigint) p ON true
ORDER BY p.place
