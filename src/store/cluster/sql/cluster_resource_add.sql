-- The document of a new cluster.
-- scope: project :project
INSERT INTO resource (scope, kind, id, name, org_id, document, state, generation) VALUES (:project, :kind, :cluster, :name, :organization, :document::jsonb, :state, :generation::bigint)
