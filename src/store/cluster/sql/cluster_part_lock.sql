-- A resource that hangs on clusters, locked for a change.
-- scope: project $1
SELECT document::text, state, encode(id, 'hex') FROM resource WHERE scope = $1 AND kind = $2 AND name = $3 FOR UPDATE
