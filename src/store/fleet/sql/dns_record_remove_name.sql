-- Takes back what a cluster's name, and its services, say about one host.
-- scope: organization $1
DELETE FROM dns_record WHERE org_id = $1 AND cluster_id = $2 AND (name = $3 OR (type = 'SRV' AND content = $4))
