-- Removes a project; the roles granted in it go with it.
-- scope: organization $1
DELETE FROM project WHERE org_id = $1 AND id = $2
