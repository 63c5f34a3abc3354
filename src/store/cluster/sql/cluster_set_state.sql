-- Says how far a cluster is.
-- scope: project :project
UPDATE resource SET state = :state, observed_generation = greatest(observed_generation, :observed::bigint), revision = nextval('revision')
WHERE scope = :project AND kind = :kind AND id = :cluster
