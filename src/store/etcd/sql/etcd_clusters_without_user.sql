-- Clusters from before their group had users.
-- scope: none, because groups of etcd are the operator's
SELECT encode(c.id, 'hex') AS cluster, encode(c.org_id, 'hex') AS organization FROM cluster c JOIN etcd_group g ON g.name = c.etcd_group
WHERE g.auth <> 'OFF' AND c.etcd_user IS NULL AND EXISTS (SELECT FROM cluster_member m WHERE m.cluster_id = c.id AND m.desired = 'RUNNING')
ORDER BY c.id LIMIT 100
