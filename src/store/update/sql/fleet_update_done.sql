-- A rollout that nobody stopped has ended.
-- scope: none, because rollouts belong to the operator
UPDATE fleet_update SET state = 'DONE', finished_at = now() WHERE id = :update AND state = 'RUNNING'
