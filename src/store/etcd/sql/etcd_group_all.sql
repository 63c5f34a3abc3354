-- Groups of etcd that have users or are about to, each with how many members would be locked out if nothing went without one.
-- scope: none, because groups of etcd are the operator's
SELECT g.name, to_json(g.endpoints)::text, g.auth, coalesce(encode(g.root, 'hex'), ''), '', '', '', etcd_group_waits_for(g.name), g.early
FROM etcd_group g WHERE g.auth <> 'OFF' ORDER BY g.name
