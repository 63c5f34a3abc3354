-- The pinned tables of a cluster.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT pinned_tables_document(c.id, c.project_id, c.pinned_tables) AS document
      FROM cluster c JOIN resource r ON r.scope = c.project_id AND r.id = c.id
      WHERE c.project_id = :project AND r.kind = 'cluster' AND r.name = :cluster_name) d
