-- Removes every resource of a project that is being deleted.
-- scope: project :project
DELETE FROM resource WHERE scope = :project
