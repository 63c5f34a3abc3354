-- The configuration that raised an alert, without the field :hidden, when it is still there; no row when the project has no such alert.
-- scope: project :project
SELECT count(r.id) OVER () AS total, CASE WHEN :offset::bigint = 0 THEN (r.document - :hidden::text)::text END AS document, r.name AS key
FROM alert a LEFT JOIN resource r ON r.scope = :project AND r.kind = 'alertConfig' AND r.id = a.config_id
WHERE a.project_id = :project AND a.id = :alert LIMIT :limit::bigint
