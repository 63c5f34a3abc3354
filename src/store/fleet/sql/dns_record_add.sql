-- A name of a cluster.
-- scope: organization $1
INSERT INTO dns_record (org_id, cluster_id, name, type, content) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
