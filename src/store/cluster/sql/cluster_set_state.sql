-- Says how far a cluster is.
-- scope: project $1
UPDATE resource SET state = $4, observed_generation = greatest(observed_generation, $5::bigint), revision = nextval('revision')
WHERE scope = $1 AND kind = $2 AND id = $3
