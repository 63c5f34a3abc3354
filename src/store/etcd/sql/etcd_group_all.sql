-- Groups of etcd that have users or are about to, each with how many members would be locked out if nothing went without one.
-- scope: none, because groups of etcd are the operator's
SELECT g.name, to_json(g.endpoints)::text AS endpoints, g.auth, coalesce(encode(g.root, 'hex'), '') AS root, '' AS set_name, '' AS etcd_user, '' AS etcd_password, etcd_group_waits_for(g.name) AS waiting, g.early
FROM etcd_group g WHERE g.auth <> 'OFF' ORDER BY g.name
