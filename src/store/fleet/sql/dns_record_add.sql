-- A name of a cluster.
-- scope: organization :organization
INSERT INTO dns_record (org_id, cluster_id, name, type, content) VALUES (:organization, :cluster, :name, :type, :content) ON CONFLICT DO NOTHING
