-- A page of the items that have a price.
-- scope: none, because prices are the operator's and the same for all
SELECT c.total, p.document, p.id AS key
FROM (SELECT count(*) AS total FROM sku WHERE offered) c
LEFT JOIN LATERAL (
    SELECT sku_json(s)::text AS document, s.id FROM sku s WHERE s.offered ORDER BY s.id COLLATE "C" OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.id COLLATE "C"
