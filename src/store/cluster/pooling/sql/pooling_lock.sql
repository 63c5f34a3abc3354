-- Whether a cluster has poolers, locked for a change.
-- scope: project :project
SELECT encode(c.id, 'hex') AS cluster, c.pooling AS enabled, c.pooling_mode AS mode, text_revision(pooling_document(c.id)) AS revision
FROM cluster c JOIN resource r ON r.scope = c.project_id AND r.id = c.id
WHERE c.project_id = :project AND r.kind = 'cluster' AND r.name = :cluster_name
FOR UPDATE OF c
