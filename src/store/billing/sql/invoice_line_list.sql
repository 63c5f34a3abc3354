-- A page of those lines of an invoice that fit: projects ($3), clusters ($4), services ($5), days of usage from $6 to before $7,
-- moments of billing from $8 to before $9 (NULL: no bound), without those of no cents ($10); by $11, the largest first ($12).
-- scope: organization $1
WITH fitting AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY l.key * CASE WHEN $12::boolean THEN -1 ELSE 1 END, l.day, l.cluster_id, l.sku, l.microcents) AS place,
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
    FROM (SELECT p.*, CASE $11 WHEN 'TOTAL_PRICE_CENTS' THEN p.cents WHEN 'BILL_DATES' THEN extract(epoch FROM p.created_at)
                               ELSE extract(epoch FROM p.day) END AS key
          FROM invoice_line_priced p WHERE p.org_id = $1 AND p.invoice_id = $2) l
    WHERE ($3::text[] IS NULL OR encode(l.project_id, 'hex') = ANY ($3::text[]))
      AND ($4::text[] IS NULL OR encode(l.cluster_id, 'hex') = ANY ($4::text[]))
      AND ($5::text[] IS NULL OR l.service = ANY ($5::text[]))
      AND ($6::bigint IS NULL OR l.day >= (to_timestamp($6::bigint / 1000.0) AT TIME ZONE 'UTC')::date)
      AND ($7::bigint IS NULL OR l.day < (to_timestamp($7::bigint / 1000.0) AT TIME ZONE 'UTC')::date)
      AND ($8::bigint IS NULL OR l.created_at >= to_timestamp($8::bigint / 1000.0))
      AND ($9::bigint IS NULL OR l.created_at < to_timestamp($9::bigint / 1000.0))
      AND (NOT $10::boolean OR l.cents <> 0))
SELECT (SELECT count(*) FROM fitting), page.document, ''
FROM invoice i
LEFT JOIN LATERAL (SELECT f.document, f.place FROM fitting f ORDER BY f.place OFFSET $13::bigint LIMIT $14::bigint) page ON true
WHERE i.org_id = $1 AND i.id = $2
ORDER BY page.place
