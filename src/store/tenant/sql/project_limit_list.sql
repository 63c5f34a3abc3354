-- The values of limits that a project has of its own.
-- scope: organization $1
SELECT l.name, l.value, l.revision FROM project_limit l WHERE l.org_id = $1 AND l.project_id = $2
