-- One project, locked for a change.
-- scope: organization :organization
SELECT name, settings::text, revision, (SELECT coalesce(sum(total), 0) FROM list_counter WHERE scope = :project AND kind IN ('cluster', 'flexCluster')) AS cluster_count
FROM project WHERE org_id = :organization AND id = :project FOR NO KEY UPDATE
