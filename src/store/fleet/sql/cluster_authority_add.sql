-- Makes a cluster's authority, unless another host's request was faster.
-- scope: none, because agents of hosts ask for it, and hosts are the operator's
INSERT INTO authority (id, purpose, cluster_id, project_id, org_id, certificate, key, not_after)
SELECT $2, 'CLUSTER', c.id, c.project_id, c.org_id, $3, $4, to_timestamp($5::bigint / 1000.0) FROM cluster c WHERE c.id = $1
ON CONFLICT DO NOTHING
