-- A page of those lines of an invoice that fit: projects (:projects), clusters (:clusters), services (:services), days of usage from :used_from_ms to before :used_to_ms,
-- moments of billing from :billed_from_ms to before :billed_to_ms (NULL: no bound), without those of no cents (:without_zero); by :sort_by, the largest first (:largest_first).
-- scope: organization :organization
WITH fitting AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY l.key * CASE WHEN :largest_first::boolean THEN -1 ELSE 1 END, l.day, l.cluster_id, l.sku, l.microcents, l.tags_key) AS place,
           jsonb_build_object(
               'usageDate', to_char(l.day, 'YYYY-MM-DD"T00:00:00Z"'),
               'billDate', api_date(l.created_at),
               'groupId', encode(l.project_id, 'hex'),
               'clusterName', l.cluster_name,
               'sku', l.sku,
               'service', l.service,
               'description', coalesce((SELECT k.description FROM sku k WHERE k.id = l.sku), l.unit || ' without a price'),
               'quantity', billing_number(l.seconds / 3600.0),
               'unitPriceDollars', billing_number(l.microcents / 100000000.0),
               'totalPriceCents', l.cents)::text AS document
    FROM (SELECT p.*, CASE :sort_by WHEN 'TOTAL_PRICE_CENTS' THEN p.cents WHEN 'BILL_DATES' THEN extract(epoch FROM p.created_at)
                               ELSE extract(epoch FROM p.day) END AS key
          FROM invoice_line_priced p WHERE p.org_id = :organization AND p.invoice_id = :invoice) l
    WHERE (:projects::text[] IS NULL OR encode(l.project_id, 'hex') = ANY (:projects::text[]))
      AND (:clusters::text[] IS NULL OR encode(l.cluster_id, 'hex') = ANY (:clusters::text[]))
      AND (:services::text[] IS NULL OR l.service = ANY (:services::text[]))
      AND (:used_from_ms::bigint IS NULL OR l.day >= (to_timestamp(:used_from_ms::bigint / 1000.0) AT TIME ZONE 'UTC')::date)
      AND (:used_to_ms::bigint IS NULL OR l.day < (to_timestamp(:used_to_ms::bigint / 1000.0) AT TIME ZONE 'UTC')::date)
      AND (:billed_from_ms::bigint IS NULL OR l.created_at >= to_timestamp(:billed_from_ms::bigint / 1000.0))
      AND (:billed_to_ms::bigint IS NULL OR l.created_at < to_timestamp(:billed_to_ms::bigint / 1000.0))
      AND (NOT :without_zero::boolean OR l.cents <> 0))
SELECT (SELECT count(*) FROM fitting) AS total, page.document, '' AS key
FROM invoice i
LEFT JOIN LATERAL (SELECT f.document, f.place FROM fitting f ORDER BY f.place OFFSET :offset::bigint LIMIT :limit::bigint) page ON true
WHERE i.org_id = :organization AND i.id = :invoice
ORDER BY page.place
