-- The values of limits that a project has of its own.
-- scope: organization :organization
SELECT l.name, l.value, l.revision FROM project_limit l WHERE l.org_id = :organization AND l.project_id = :project
