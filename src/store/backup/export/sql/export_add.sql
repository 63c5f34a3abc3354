-- An export that somebody asks for. Nothing when another one that was asked for is under way or queued of the same history, or the snapshot is not there any more.
-- scope: project :project
INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix, custom_data, format)
SELECT :export, n.org_id, n.project_id, n.cluster_id, t.id, n.id, n.created_at, :bucket::bytea, export_bucket_prefix(n.project_id, :bucket::bytea) || export_prefix(n, t.cluster_name, :asked_s::bigint), :custom_data::jsonb, :format
FROM snapshot n JOIN backup_stanza t ON t.id = n.stanza_id
WHERE n.project_id = :project AND n.id = :snapshot AND n.state = 'COMPLETED' AND n.hidden_at IS NULL AND t.state <> 'REMOVING'
  AND NOT EXISTS (SELECT FROM export_job x WHERE x.stanza_id = t.id AND x.finished_at IS NULL AND x.origin = 'ON_DEMAND')
ON CONFLICT DO NOTHING
RETURNING export_json(export_job) AS document
