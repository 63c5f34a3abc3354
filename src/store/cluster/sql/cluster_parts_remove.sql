-- Removes what hangs on a cluster.
-- scope: project :project
DELETE FROM resource WHERE scope = :project AND kind = ANY ('{outageSimulation,sampleDatasetLoad,backupSchedule}') AND document ->> 'clusterName' = :name
