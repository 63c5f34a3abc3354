-- Keeps the password of a cluster's user, unless it has one.
-- scope: organization :organization
UPDATE cluster SET etcd_password = :sealed WHERE org_id = :organization AND id = :cluster AND etcd_password IS NULL
