-- Makes a resource.
-- scope: project :scope
INSERT INTO resource (scope, kind, id, name, org_id, document, access_generation) VALUES (:scope, :kind, :id, :name, :organization, :document::jsonb, :generation::bigint)
RETURNING encode(id, 'hex') AS id, document::text, revision
