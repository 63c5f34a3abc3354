-- A drill that somebody asks for. Nothing when one is under way or queued, or the stanza is not open.
-- scope: project :project
INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, origin)
SELECT :drill, t.org_id, t.project_id, t.cluster_id, t.id, 'ON_DEMAND'
FROM backup_stanza t
WHERE t.project_id = :project AND t.id = :stanza AND t.state = 'OPEN' AND NOT EXISTS (SELECT FROM drill d WHERE d.stanza_id = t.id AND d.finished_at IS NULL)
ON CONFLICT DO NOTHING
RETURNING drill_json(drill) AS document
