-- Replaces the document and the state of a cluster; its generation moves.
-- scope: project :project
UPDATE resource SET document = :document::jsonb, state = :state, generation = generation + 1, revision = nextval('revision'),
    observed_generation = CASE WHEN :is_in_force::boolean AND observed_generation = generation THEN generation + 1 ELSE observed_generation END
WHERE scope = :project AND kind = :kind AND id = :cluster
RETURNING generation
