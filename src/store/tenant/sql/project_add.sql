-- Creates a project.
-- scope: organization $1
INSERT INTO project (org_id, id, name, settings) VALUES ($1, $2, $3, $4::jsonb)
