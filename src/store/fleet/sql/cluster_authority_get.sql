-- The authority of a cluster, which signs what its members show each other.
-- scope: none, because agents of hosts ask for it, and hosts are the operator's
SELECT encode(id, 'hex'), certificate, encode(key, 'hex') FROM authority WHERE cluster_id = $1 AND purpose = 'CLUSTER'
