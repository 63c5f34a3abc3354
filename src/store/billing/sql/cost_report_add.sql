-- Makes a report of what an organization used between two moments, and keeps it under a token. :group_by is what it is divided by; :organizations to :services
-- are filters (NULL: none), of which all must fit, or one of those that there are (:one_is_enough).
-- scope: organization :organization
INSERT INTO cost_report (org_id, token, content)
SELECT :organization, :token, 'usageDate,organizationId,projectId,projectName,clusterId,clusterName,service,usageAmount' || E'\r\n'
       || coalesce(string_agg(concat_ws(',', g.month, encode(:organization, 'hex'), coalesce(g.project, ''), coalesce(csv_field(g.project_name), ''),
                                        coalesce(g.cluster, ''), coalesce(csv_field(g.cluster_name), ''), coalesce(g.service, ''), g.amount)
                              || E'\r\n', '' ORDER BY g.month, g.project, g.cluster, g.service), '')
FROM (SELECT to_char(u.day, 'YYYY-MM-01') AS month, u.project, max(u.project_name) AS project_name, u.cluster,
             max(u.cluster_name) AS cluster_name, u.service, round(sum(u.product) / 3600 / 100000000, 2) AS amount
      FROM (SELECT l.day,
                   CASE WHEN :group_by IN ('projects', 'clusters') THEN encode(l.project_id, 'hex') END AS project,
                   CASE WHEN :group_by IN ('projects', 'clusters') THEN l.project_name END AS project_name,
                   CASE WHEN :group_by = 'clusters' THEN encode(l.cluster_id, 'hex') END AS cluster,
                   CASE WHEN :group_by = 'clusters' THEN l.cluster_name END AS cluster_name,
                   CASE WHEN :group_by = 'services' THEN kind.service END AS service,
                   l.seconds::numeric * l.microcents AS product
            FROM invoice_line l
            CROSS JOIN LATERAL (SELECT CASE WHEN l.sku = 'DISK_GB' THEN 'Storage' ELSE 'Compute' END AS service) kind
            CROSS JOIN LATERAL (
                SELECT bool_and(f.fits) AS by_all, bool_or(f.fits) AS by_one
                FROM (VALUES (encode(l.org_id, 'hex') = ANY (:organizations::text[])), (encode(l.project_id, 'hex') = ANY (:projects::text[])),
                             (encode(l.cluster_id, 'hex') = ANY (:clusters::text[])), (kind.service = ANY (:services::text[]))) f (fits)) filters
            WHERE l.org_id = :organization AND l.day >= (to_timestamp(:from_ms::bigint / 1000) AT TIME ZONE 'UTC')::date
              AND l.day < (to_timestamp(:to_ms::bigint / 1000) AT TIME ZONE 'UTC')::date
              AND coalesce(CASE WHEN :one_is_enough::boolean THEN filters.by_one ELSE filters.by_all END, true)) u
      GROUP BY 1, u.project, u.cluster, u.service) g
