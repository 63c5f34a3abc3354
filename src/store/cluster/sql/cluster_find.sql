-- The id of a cluster.
-- scope: project :project
SELECT encode(r.id, 'hex') AS cluster FROM resource r WHERE r.scope = :project AND r.kind = :kind AND r.name = :name
