-- Makes the one resource of a kind in a project, unless it is there. The project cannot be deleted meanwhile: its resources refer to
-- it by nothing else.
-- scope: project $1
INSERT INTO resource (scope, kind, id, name, org_id, document)
SELECT $1::bytea, $2::text, $3::bytea, '', $4::bytea, $5::jsonb FROM project p WHERE p.id = $1::bytea AND p.org_id = $4::bytea
FOR KEY SHARE OF p
ON CONFLICT (scope, kind, name) DO NOTHING
