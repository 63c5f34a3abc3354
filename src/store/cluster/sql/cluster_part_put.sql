-- A resource that hangs on clusters, made or replaced.
-- scope: project :project
INSERT INTO resource (scope, kind, id, name, org_id, document, state) VALUES (:project, :kind, :part, :name, :organization, :document::jsonb, :state)
ON CONFLICT (scope, kind, name) DO UPDATE SET document = excluded.document, state = excluded.state,
    generation = resource.generation + 1, revision = nextval('revision')
