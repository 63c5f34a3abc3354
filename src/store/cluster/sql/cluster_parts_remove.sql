-- Removes what hangs on a cluster.
-- scope: project $1
DELETE FROM resource WHERE scope = $1 AND kind = ANY ('{outageSimulation,sampleDatasetLoad}') AND document ->> 'clusterName' = $2
