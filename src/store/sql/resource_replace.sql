-- Replaces the document of a resource.
-- scope: project :scope
UPDATE resource SET document = :document::jsonb, generation = generation + 1, revision = nextval('revision'),
    access_generation = coalesce(:generation::bigint, access_generation)
WHERE scope = :scope AND kind = :kind AND id = :id
RETURNING encode(id, 'hex') AS id, document::text, revision
