-- How many events of a type a project had within an hour up to a place, of one cluster or of none.
-- scope: project $1
SELECT count(*) FROM event e
WHERE e.project_id = $1 AND e.type = $2 AND e.project_seq <= $3::bigint AND e.cluster IS NOT DISTINCT FROM $4
  AND e.created_at > to_timestamp($5::bigint / 1000.0) - interval '1 hour'
