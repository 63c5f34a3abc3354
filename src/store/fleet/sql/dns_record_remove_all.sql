-- Takes back every name of a cluster.
-- scope: organization $1
DELETE FROM dns_record WHERE org_id = $1 AND cluster_id = $2
