-- Where a cluster's members agree, and as whom.
-- scope: none, because groups of etcd are the operator's
SELECT g.name, to_json(g.endpoints)::text, g.auth, coalesce(encode(g.root, 'hex'), ''), c.set_name, coalesce(c.etcd_user, ''),
       coalesce(encode(c.etcd_password, 'hex'), ''), etcd_group_waits_for(g.name), g.early
FROM cluster c JOIN etcd_group g ON g.name = c.etcd_group WHERE c.id = $1
