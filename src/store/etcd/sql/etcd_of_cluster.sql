-- Where a cluster's members agree, and as whom.
-- scope: none, because groups of etcd are the operator's
SELECT g.name, to_json(g.endpoints)::text AS endpoints, g.auth, coalesce(encode(g.root, 'hex'), '') AS root, c.set_name, coalesce(c.etcd_user, '') AS etcd_user,
       coalesce(encode(c.etcd_password, 'hex'), '') AS etcd_password, etcd_group_waits_for(g.name) AS waiting, g.early
FROM cluster c JOIN etcd_group g ON g.name = c.etcd_group WHERE c.id = :cluster
