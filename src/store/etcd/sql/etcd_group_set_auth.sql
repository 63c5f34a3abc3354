-- Writes down how far a group is, and what it waits for. A worker has spoken to it, so clusters may be told their users.
-- scope: none, because groups of etcd are the operator's
UPDATE etcd_group SET auth = $2, waits_for = nullif($3, ''), early = true
WHERE name = $1 AND (auth <> $2 OR waits_for IS DISTINCT FROM nullif($3, '') OR NOT early)
