-- One drill of a cluster; its revision is that of what is shown.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT drill_json(d) AS document FROM drill d
      WHERE d.project_id = :project AND d.cluster_id = backup_cluster(:project, 'cluster', :name) AND d.id = :drill) d
