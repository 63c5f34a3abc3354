-- How many events of a type a project had within an hour up to a place, of one cluster or of none.
-- scope: project :project
SELECT count(*) AS count FROM event e
WHERE e.project_id = :project AND e.type = :type AND e.project_seq <= :seq::bigint AND e.cluster IS NOT DISTINCT FROM :cluster
  AND e.created_at > to_timestamp(:created_ms::bigint / 1000.0) - interval '1 hour'
