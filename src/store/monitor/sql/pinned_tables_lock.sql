-- The pinned tables of a cluster, locked for a change.
-- scope: project :project
SELECT encode(c.id, 'hex') AS cluster, c.pinned_tables::text AS tables, text_revision(pinned_tables_document(c.id, c.project_id, c.pinned_tables)) AS revision
FROM cluster c JOIN resource r ON r.scope = c.project_id AND r.id = c.id
WHERE c.project_id = :project AND r.kind = 'cluster' AND r.name = :cluster_name
FOR UPDATE OF c
