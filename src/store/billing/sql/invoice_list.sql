-- A page of an organization's invoices, in one of the states of :statuses (NULL: any) that begin between two moments (NULL: no bound); the
-- oldest first, or (:newest_first) the newest.
-- scope: organization :organization
WITH chosen AS MATERIALIZED (
    SELECT i.id, i.began_at FROM invoice i
    WHERE i.org_id = :organization AND (:statuses::text[] IS NULL OR i.status = ANY (:statuses::text[]))
      AND (:from_ms::bigint IS NULL OR i.began_at >= to_timestamp(:from_ms::bigint / 1000.0))
      AND (:to_ms::bigint IS NULL OR i.began_at <= to_timestamp(:to_ms::bigint / 1000.0)))
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM chosen) c
LEFT JOIN LATERAL (
    SELECT invoice_json(i)::text AS document, i.id, row_number() OVER (ORDER BY CASE WHEN :newest_first::boolean THEN -extract(epoch FROM i.began_at) ELSE extract(epoch FROM i.began_at) END) AS place
    FROM invoice i WHERE i.org_id = :organization AND i.id IN (SELECT id FROM chosen)
    ORDER BY place OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.place
