-- The members of a cluster with where they are and what their agents say. One whose host is being emptied leaves it once the job that moves it has begun: until then it stays, whatever else is done to the cluster.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(m.id, 'hex') AS id, ordinal, desired, size, disk_gb, electable, analytics, priority, provider, region, host_leaves AS host_drains, host_gone, address,
       private_address, unit, role, running, version, applied_goal, restart_nonce, restart_goal, applied_restart, pending_restart, problem,
       host_gone OR (host_leaves AND EXISTS (
           SELECT FROM job j WHERE j.subject = :cluster AND j.kind = 'cluster.move' AND j.step <> 'wait-window' AND j.state IN ('QUEUED', 'RUNNING'))) AS host_leaves
FROM cluster_members(:cluster) m
