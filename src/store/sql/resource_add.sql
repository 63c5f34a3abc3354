-- Makes a resource.
-- scope: project $1
INSERT INTO resource (scope, kind, id, name, org_id, document, access_generation) VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7::bigint)
RETURNING encode(id, 'hex'), document::text, revision
