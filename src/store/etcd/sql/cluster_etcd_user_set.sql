-- The group has the cluster's user now; members are told.
-- scope: none, because the function looks at whom the transaction acts for
SELECT cluster_etcd_user_made(:cluster, :user)
