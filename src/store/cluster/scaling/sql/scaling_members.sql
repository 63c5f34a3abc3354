-- Members of clusters that are to run.
-- scope: none, because the worker looks at the clusters of all organizations
SELECT encode(m.cluster_id, 'hex') AS cluster, encode(m.id, 'hex') AS id, m.analytics FROM cluster_member m
WHERE m.cluster_id IN (SELECT decode(x, 'hex') FROM unnest(:clusters::text[]) x) AND m.desired = 'RUNNING'
ORDER BY m.cluster_id, m.ordinal
