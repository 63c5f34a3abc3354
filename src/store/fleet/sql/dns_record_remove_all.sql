-- Takes back every name of a cluster.
-- scope: organization :organization
DELETE FROM dns_record WHERE org_id = :organization AND cluster_id = :cluster
