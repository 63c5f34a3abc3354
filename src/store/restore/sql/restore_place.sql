-- Which cluster a restore of the path's cluster goes into, without a lock; NULL for a download.
-- scope: project :project
SELECT encode(r.target_project_id, 'hex') AS target_project, encode(r.target_id, 'hex') AS target
FROM restore_job r WHERE r.project_id = :project AND r.cluster_id = backup_cluster(:project, :kind, :name) AND r.id = :restore
