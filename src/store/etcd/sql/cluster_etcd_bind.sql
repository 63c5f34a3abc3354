-- Binds a cluster to a group of etcd with room left.
-- scope: none, because the function looks at whom the transaction acts for
SELECT cluster_bind_etcd(:cluster, :provider, :region) AS bound
