-- Exports that schedules ask for: of each snapshot that was completed since this was switched on, once. What is due by several rules at the same time is one snapshot
-- with the name of the most seldom, so its rules are looked at as well.
-- scope: none, because the worker looks at the clusters of all organizations
INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix, origin, format)
SELECT reeve_new_id(n.cluster_id), n.org_id, n.project_id, n.cluster_id, t.id, n.id, n.created_at, s.bucket_id, export_bucket_prefix(n.project_id, s.bucket_id) || export_prefix(n, t.cluster_name, :asked_s::bigint), 'SCHEDULED', s.format
FROM export_schedules() s
JOIN snapshot n ON n.project_id = s.project_id AND n.cluster_id = s.cluster_id
JOIN backup_stanza t ON t.id = n.stanza_id
WHERE n.state = 'COMPLETED' AND n.hidden_at IS NULL AND n.finished_at >= s.since AND t.state <> 'REMOVING'
  AND (n.frequency = s.frequency OR n.policy_items && s.items)
  AND NOT EXISTS (SELECT FROM export_job x WHERE x.snapshot_id = n.id AND x.origin = 'SCHEDULED')
ORDER BY n.finished_at, n.id LIMIT :limit::bigint
ON CONFLICT DO NOTHING
RETURNING encode(id, 'hex') AS export
