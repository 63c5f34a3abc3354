-- Takes a project's own value of a limit away.
-- scope: organization :organization
DELETE FROM project_limit WHERE org_id = :organization AND project_id = :project AND name = :name
