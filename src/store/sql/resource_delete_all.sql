-- Removes every resource of a project that is being deleted.
-- scope: project $1
DELETE FROM resource WHERE scope = $1
