-- One snapshot of a cluster, locked for a change: as it is shown, and until when it is protected.
-- scope: project :project
SELECT snapshot_json(s, :form::text) AS document, text_revision(snapshot_json(s, :form::text)) AS revision,
       (extract(epoch FROM s.protected_until) * 1000)::bigint AS protected_ms
FROM snapshot s
WHERE s.project_id = :project AND s.cluster_id = backup_cluster(:project, :kind, :name) AND s.id = :snapshot AND s.hidden_at IS NULL
FOR UPDATE OF s
