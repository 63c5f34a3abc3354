-- Writes down how far a group is, and what it waits for. A worker has spoken to it, so clusters may be told their users.
-- scope: none, because groups of etcd are the operator's
UPDATE etcd_group SET auth = :auth, waits_for = nullif(:waits_for, ''), early = true
WHERE name = :group AND (auth <> :auth OR waits_for IS DISTINCT FROM nullif(:waits_for, '') OR NOT early)
