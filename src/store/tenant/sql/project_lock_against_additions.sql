-- Locks a project that is about to go: nothing can be added to it any more.
-- scope: organization $1
SELECT 1 FROM project WHERE org_id = $1 AND id = $2 FOR UPDATE
