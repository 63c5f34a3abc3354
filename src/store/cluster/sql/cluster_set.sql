-- Replaces the document and the state of a cluster; its generation moves.
-- scope: project $1
UPDATE resource SET document = $4::jsonb, state = $5, generation = generation + 1, revision = nextval('revision'),
    observed_generation = CASE WHEN $6::boolean AND observed_generation = generation THEN generation + 1 ELSE observed_generation END
WHERE scope = $1 AND kind = $2 AND id = $3
RETURNING generation
