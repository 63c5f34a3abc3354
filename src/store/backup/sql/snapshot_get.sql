-- One snapshot of a cluster in a form of snapshot_json(); its revision is that of what is shown.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT snapshot_json(s, :form::text) AS document FROM snapshot s
      WHERE s.project_id = :project AND s.cluster_id = backup_cluster(:project, :kind, :name) AND s.id = :snapshot AND s.hidden_at IS NULL) d
