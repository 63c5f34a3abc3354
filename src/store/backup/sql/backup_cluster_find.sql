-- The cluster whose backups a path means.
-- scope: project :project
SELECT encode(backup_cluster(:project, :kind, :name), 'hex') AS cluster
