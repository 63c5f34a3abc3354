-- Whether a cluster has poolers.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT pooling_document(c.id) AS document
      FROM cluster c JOIN resource r ON r.scope = c.project_id AND r.id = c.id
      WHERE c.project_id = :project AND r.kind = 'cluster' AND r.name = :cluster_name) d
