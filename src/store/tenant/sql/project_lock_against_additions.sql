-- Locks a project that is about to go: nothing can be added to it any more.
-- scope: organization :organization
SELECT 1 FROM project WHERE org_id = :organization AND id = :project FOR UPDATE
