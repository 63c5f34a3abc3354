-- Changes what an operator says about a group; what is NULL stays. Users are turned on, never off.
-- scope: none, because groups of etcd are the operator's
UPDATE etcd_group SET state = coalesce($2, state), capacity = CASE WHEN $3::int IS NULL THEN capacity ELSE nullif($3::int, 0) END,
    auth = CASE WHEN $4 AND auth = 'OFF' THEN 'PREPARED' ELSE auth END, root = coalesce(root, CASE WHEN $4 THEN $5::bytea END)
WHERE name = $1 RETURNING name
