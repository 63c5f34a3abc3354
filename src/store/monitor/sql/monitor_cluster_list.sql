-- The clusters of a project, oldest first: what its own Prometheus scrapes.
-- scope: project :project
SELECT encode(c.id, 'hex') AS cluster, c.name FROM cluster c WHERE c.project_id = :project ORDER BY c.id
