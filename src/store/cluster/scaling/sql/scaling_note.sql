-- What was found of a cluster that changes its size by itself.
-- scope: organization :organization
UPDATE cluster_scaling s SET changed_at = to_timestamp(:changed_ms::bigint / 1000.0), seen = :seen, found = :found::jsonb, told = :told::jsonb
FROM cluster c WHERE c.org_id = :organization AND c.id = :cluster AND s.cluster_id = c.id
