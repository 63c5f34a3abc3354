-- Removes what hangs on a cluster.
-- scope: project :project
DELETE FROM resource WHERE scope = :project AND kind = ANY ('{outageSimulation,sampleDatasetLoad,backupSchedule,backupDrillSettings,databaseExtension}') AND document ->> 'clusterName' = :name
