-- The document of a new cluster.
-- scope: project $1
INSERT INTO resource (scope, kind, id, name, org_id, document, state, generation) VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8::bigint)
