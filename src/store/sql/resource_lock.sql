-- Locks a resource by its name.
-- scope: project $1
SELECT encode(id, 'hex'), document::text, revision FROM resource WHERE scope = $1 AND kind = $2 AND name = $3 FOR UPDATE
