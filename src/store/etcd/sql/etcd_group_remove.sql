-- Removes a group of etcd that no cluster is in.
-- scope: none, because groups of etcd are the operator's
DELETE FROM etcd_group WHERE name = :name AND name <> 'default' RETURNING name
