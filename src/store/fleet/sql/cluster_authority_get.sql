-- The authority of a cluster, which signs what its members show each other.
-- scope: none, because agents of hosts ask for it, and hosts are the operator's
SELECT encode(id, 'hex') AS id, certificate, encode(key, 'hex') AS key FROM authority WHERE cluster_id = :cluster AND purpose = 'CLUSTER'
