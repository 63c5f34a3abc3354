-- Locks the one resource of a kind in a project.
-- scope: project $1
SELECT encode(id, 'hex'), document::text, revision FROM resource WHERE scope = $1 AND kind = $2 AND name = '' FOR UPDATE
