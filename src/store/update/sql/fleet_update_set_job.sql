-- The job that works at a rollout now.
-- scope: none, because rollouts belong to the operator
UPDATE fleet_update SET job_id = :job WHERE id = :update
