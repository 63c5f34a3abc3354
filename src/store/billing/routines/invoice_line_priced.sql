-- Lines with their cents. The sum is exact and rounded once; a line has what it adds to the rounded sum of those before it, so that
-- lines add up to the whole, and a day that is over does not change any more.
CREATE OR REPLACE VIEW invoice_line_priced WITH (security_invoker = true) AS
SELECT l.invoice_id, l.org_id, l.project_id, l.project_name, l.cluster_id, l.cluster_name, l.sku, l.day, l.microcents, l.seconds, l.created_at,
       billing_cents(sum(l.seconds::numeric * l.microcents) OVER w)
       - billing_cents(sum(l.seconds::numeric * l.microcents) OVER w - l.seconds::numeric * l.microcents) AS cents,
       CASE WHEN l.sku = 'DISK_GB' THEN 'GB hours' ELSE 'member hours' END AS unit,
       CASE WHEN l.sku = 'DISK_GB' THEN 'Storage' ELSE 'Compute' END AS service,
       l.tags, l.tags_key
FROM invoice_line l
WINDOW w AS (PARTITION BY l.invoice_id ORDER BY l.day, l.cluster_id, l.sku, l.microcents, l.tags_key ROWS UNBOUNDED PRECEDING);
GRANT SELECT ON invoice_line_priced TO reeve_reader, reeve_tenant;
