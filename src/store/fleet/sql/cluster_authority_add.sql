-- Makes a cluster's authority, unless another host's request was faster.
-- scope: none, because agents of hosts ask for it, and hosts are the operator's
INSERT INTO authority (id, purpose, cluster_id, project_id, org_id, certificate, key, not_after)
SELECT :id, 'CLUSTER', c.id, c.project_id, c.org_id, :certificate, :sealed_key, to_timestamp(:not_after_ms::bigint / 1000.0) FROM cluster c WHERE c.id = :cluster
ON CONFLICT DO NOTHING
