-- A sweep has ended, with the problem $3 or without one.
-- scope: none, because sweeps belong to the service
UPDATE sweep SET lease_until = NULL, problem = $3, succeeded_at = CASE WHEN $3::text IS NULL THEN now() ELSE succeeded_at END
WHERE name = $1 AND lease_epoch = $2::bigint
