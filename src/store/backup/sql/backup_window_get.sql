-- What of a cluster can be restored, seat by seat of its open stanza; no row without such a cluster.
-- scope: project :project
SELECT backup_window_json(:project, backup_cluster(:project, 'cluster', :name)) AS document, 0 AS revision
WHERE backup_cluster(:project, 'cluster', :name) IS NOT NULL
