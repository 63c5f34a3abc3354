-- Changes what an operator says about a group; what is NULL stays. Users are turned on, never off.
-- scope: none, because groups of etcd are the operator's
UPDATE etcd_group SET state = coalesce(:state, state), capacity = CASE WHEN :capacity::int IS NULL THEN capacity ELSE nullif(:capacity::int, 0) END,
    auth = CASE WHEN :secure AND auth = 'OFF' THEN 'PREPARED' ELSE auth END, root = coalesce(root, CASE WHEN :secure THEN :sealed_root::bytea END)
WHERE name = :name RETURNING name
