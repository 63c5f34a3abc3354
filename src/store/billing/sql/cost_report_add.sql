-- Makes a report of what an organization used between two moments, and keeps it under a token. $5 is what it is divided by; $6 to $9
-- are filters (NULL: none), of which all must fit, or one of those that there are ($10).
-- scope: organization $1
INSERT INTO cost_report (org_id, token, content)
SELECT $1, $2, 'usageDate,organizationId,projectId,projectName,clusterId,clusterName,service,usageAmount' || E'\r\n'
       || coalesce(string_agg(concat_ws(',', g.month, encode($1, 'hex'), coalesce(g.project, ''), coalesce(csv_field(g.project_name), ''),
                                        coalesce(g.cluster, ''), coalesce(csv_field(g.cluster_name), ''), coalesce(g.service, ''), g.amount)
                              || E'\r\n', '' ORDER BY g.month, g.project, g.cluster, g.service), '')
FROM (SELECT to_char(u.day, 'YYYY-MM-01') AS month, u.project, max(u.project_name) AS project_name, u.cluster,
             max(u.cluster_name) AS cluster_name, u.service, round(sum(u.product) / 3600 / 100000000, 2) AS amount
      FROM (SELECT l.day,
                   CASE WHEN $5 IN ('projects', 'clusters') THEN encode(l.project_id, 'hex') END AS project,
                   CASE WHEN $5 IN ('projects', 'clusters') THEN l.project_name END AS project_name,
                   CASE WHEN $5 = 'clusters' THEN encode(l.cluster_id, 'hex') END AS cluster,
                   CASE WHEN $5 = 'clusters' THEN l.cluster_name END AS cluster_name,
                   CASE WHEN $5 = 'services' THEN kind.service END AS service,
                   l.seconds::numeric * l.microcents AS product
            FROM invoice_line l
            CROSS JOIN LATERAL (SELECT CASE WHEN l.sku = 'DISK_GB' THEN 'Storage' ELSE 'Compute' END AS service) kind
            CROSS JOIN LATERAL (
                SELECT bool_and(f.fits) AS by_all, bool_or(f.fits) AS by_one
                FROM (VALUES (encode(l.org_id, 'hex') = ANY ($6::text[])), (encode(l.project_id, 'hex') = ANY ($7::text[])),
                             (encode(l.cluster_id, 'hex') = ANY ($8::text[])), (kind.service = ANY ($9::text[]))) f (fits)) filters
            WHERE l.org_id = $1 AND l.day >= (to_timestamp($3::bigint / 1000) AT TIME ZONE 'UTC')::date
              AND l.day < (to_timestamp($4::bigint / 1000) AT TIME ZONE 'UTC')::date
              AND coalesce(CASE WHEN $10::boolean THEN filters.by_one ELSE filters.by_all END, true)) u
      GROUP BY 1, u.project, u.cluster, u.service) g
