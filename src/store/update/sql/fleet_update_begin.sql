-- Writes down a rollout with its clusters.
-- scope: none, because operators update clusters of all organizations; the function asks for the service
SELECT fleet_update_begin(:update, :operator_name, :wish::jsonb) AS outcome
