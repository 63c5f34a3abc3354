-- One restore from a cluster's backups in a form of restore_json(); its revision is that of what is shown. Restores of moments have no form for flex clusters.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT restore_json(r, :form::text) AS document FROM restore_job r
      WHERE r.project_id = :project AND r.cluster_id = backup_cluster(:project, :kind, :name) AND r.id = :restore) d
