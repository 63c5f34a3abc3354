-- Drills that are due: of clusters that run, whose backups can be restored, and which have not had one since their turn began. One that could not be run is
-- tried again six hours later.
-- scope: none, because the worker looks at the clusters of all organizations
INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, origin)
SELECT reeve_new_id(t.cluster_id), t.org_id, t.project_id, t.cluster_id, t.id, 'SCHEDULED'
FROM drill_wanted() w
JOIN backup_stanza t ON t.id = w.stanza_id
CROSS JOIN LATERAL drill_turn(t.cluster_id, (w.settings -> 'intervalDays')::int, now()) r (since)
WHERE w.runs AND (w.settings -> 'enabled')::boolean AND t.created_at < r.since
  AND EXISTS (SELECT FROM stanza_seat e WHERE e.stanza_id = t.id AND e.desired = 'RUNNING' AND e.window_to IS NOT NULL)
  AND NOT EXISTS (SELECT FROM drill d WHERE d.stanza_id = t.id AND (
                      d.finished_at IS NULL OR (d.state IN ('PASSED', 'FAILED') AND d.requested_at >= r.since) OR d.finished_at > now() - interval '6 hours'))
ORDER BY r.since, t.id LIMIT :limit::bigint
ON CONFLICT DO NOTHING
RETURNING encode(id, 'hex') AS drill
