-- A cluster has no primary. The row that it gives says whether that has lasted for long enough to be told now.
-- scope: none, because the service sweeps the clusters of all organizations
INSERT INTO cluster_watch (cluster_id, no_primary_since) VALUES (:cluster, now())
ON CONFLICT (cluster_id) DO UPDATE SET is_told = true WHERE NOT cluster_watch.is_told AND cluster_watch.no_primary_since <= now() - interval '45 seconds'
RETURNING is_told
