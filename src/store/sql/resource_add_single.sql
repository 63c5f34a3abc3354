-- Makes the one resource of a kind in a project, unless it is there. The project cannot be deleted meanwhile: its resources refer to
-- it by nothing else.
-- scope: project :project
INSERT INTO resource (scope, kind, id, name, org_id, document)
SELECT :project::bytea, :kind::text, :id::bytea, '', :organization::bytea, :fallback::jsonb FROM project p WHERE p.id = :project::bytea AND p.org_id = :organization::bytea
FOR KEY SHARE OF p
ON CONFLICT (scope, kind, name) DO NOTHING
