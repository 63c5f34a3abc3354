-- One export of a cluster; its revision is that of what is shown.
-- scope: project :project
SELECT x.document, text_revision(x.document) AS revision
FROM (SELECT export_json(x) AS document FROM export_job x
      WHERE x.project_id = :project AND x.cluster_id = backup_cluster(:project, 'cluster', :name) AND x.id = :export) x
