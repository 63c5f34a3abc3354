-- A resource that hangs on clusters, made or replaced.
-- scope: project $1
INSERT INTO resource (scope, kind, id, name, org_id, document, state) VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7)
ON CONFLICT (scope, kind, name) DO UPDATE SET document = excluded.document, state = excluded.state,
    generation = resource.generation + 1, revision = nextval('revision')
