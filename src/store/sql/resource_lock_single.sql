-- Locks the one resource of a kind in a project.
-- scope: project :project
SELECT encode(id, 'hex') AS id, document::text, revision FROM resource WHERE scope = :project AND kind = :kind AND name = '' FOR UPDATE
