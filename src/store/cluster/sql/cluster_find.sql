-- The id of a cluster.
-- scope: project $1
SELECT encode(r.id, 'hex') FROM resource r WHERE r.scope = $1 AND r.kind = $2 AND r.name = $3
