-- Stops a rollout, or goes on with it.
-- scope: none, because rollouts belong to the operator; the function asks for the service
SELECT fleet_update_decide(:update, :goes_on::boolean, :skip_failed::boolean) AS outcome
