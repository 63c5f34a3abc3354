-- What a cluster's job has reached.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT to_version, goal, idle_s, patience_s
FROM fleet_update_note(:update, :cluster, :members_done::int, :goal::bigint, :state, :problem)
