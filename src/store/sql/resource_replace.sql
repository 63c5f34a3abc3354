-- Replaces the document of a resource.
-- scope: project $1
UPDATE resource SET document = $4::jsonb, generation = generation + 1, revision = nextval('revision'),
    access_generation = coalesce($5::bigint, access_generation)
WHERE scope = $1 AND kind = $2 AND id = $3
RETURNING encode(id, 'hex'), document::text, revision
