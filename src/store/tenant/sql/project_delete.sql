-- Removes a project; the roles granted in it go with it.
-- scope: organization :organization
DELETE FROM project WHERE org_id = :organization AND id = :project
