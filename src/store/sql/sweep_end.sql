-- A sweep has ended, with the problem :problem or without one.
-- scope: none, because sweeps belong to the service
UPDATE sweep SET lease_until = NULL, problem = :problem, succeeded_at = CASE WHEN :problem::text IS NULL THEN now() ELSE succeeded_at END
WHERE name = :name AND lease_epoch = :epoch::bigint
