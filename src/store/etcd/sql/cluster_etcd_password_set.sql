-- Keeps the password of a cluster's user, unless it has one.
-- scope: organization $1
UPDATE cluster SET etcd_password = $3 WHERE org_id = $1 AND id = $2 AND etcd_password IS NULL
