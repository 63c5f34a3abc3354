-- The members of a cluster with where they are and what their agents say.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(id, 'hex'), ordinal, desired, size, disk_gb, electable, priority, provider, region, host_leaves, host_gone, address,
       private_address, unit, role, running, version, applied_goal, restart_nonce, restart_goal, applied_restart, pending_restart, problem
FROM cluster_members($1)
