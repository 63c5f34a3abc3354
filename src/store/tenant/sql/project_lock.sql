-- One project, locked for a change.
-- scope: organization $1
SELECT name, settings::text, revision, (SELECT coalesce(sum(total), 0) FROM list_counter WHERE scope = $2 AND kind IN ('cluster', 'flexCluster'))
FROM project WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE
