-- The configuration that raised an alert, without the field $5, when it is still there; no row when the project has no such alert.
-- scope: project $1
SELECT count(r.id) OVER (), CASE WHEN $2::bigint = 0 THEN (r.document - $5::text)::text END, r.name
FROM alert a LEFT JOIN resource r ON r.scope = $1 AND r.kind = 'alertConfig' AND r.id = a.config_id
WHERE a.project_id = $1 AND a.id = $4 LIMIT $3::bigint
