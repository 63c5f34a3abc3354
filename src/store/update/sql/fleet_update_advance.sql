-- One look of the job of a rollout at its clusters.
-- scope: none, because operators update clusters of all organizations; the function asks for the service
SELECT update_state, problem, clusters_left, clusters_done FROM fleet_update_advance(:update, :is_canary::boolean, :kind, :first_step, :step_count::int)
