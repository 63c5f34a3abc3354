-- Locks a resource by its name.
-- scope: project :scope
SELECT encode(id, 'hex') AS id, document::text, revision FROM resource WHERE scope = :scope AND kind = :kind AND name = :name FOR UPDATE
