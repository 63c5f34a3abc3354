-- Makes the one resource of a kind in a project, unless it is there.
-- scope: project $1
INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES ($1, $2, $3, '', $4, $5::jsonb)
ON CONFLICT (scope, kind, name) DO NOTHING
