-- Takes back what a cluster's name, and its services, say about one host.
-- scope: organization :organization
DELETE FROM dns_record WHERE org_id = :organization AND cluster_id = :cluster AND (name = :host OR (type = 'SRV' AND content = :service_target))
