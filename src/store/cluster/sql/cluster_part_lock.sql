-- A resource that hangs on clusters, locked for a change.
-- scope: project :project
SELECT document::text, state, encode(id, 'hex') AS id FROM resource WHERE scope = :project AND kind = :kind AND name = :name FOR UPDATE
