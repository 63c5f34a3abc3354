-- Drills that have ended, and of which no event says so.
-- scope: none, because the worker tells those of all organizations
SELECT encode(d.id, 'hex') AS drill, encode(d.org_id, 'hex') AS organization, encode(d.project_id, 'hex') AS project, t.cluster_name, d.state, drill_json(d) AS document
FROM drill d JOIN backup_stanza t ON t.id = d.stanza_id
WHERE d.finished_at IS NOT NULL AND d.told_at IS NULL ORDER BY d.finished_at, d.id LIMIT :limit::bigint
