-- Takes a project's own value of a limit away.
-- scope: organization $1
DELETE FROM project_limit WHERE org_id = $1 AND project_id = $2 AND name = $3
