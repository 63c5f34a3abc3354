-- The machinery's row of a new cluster.
-- scope: organization $1
INSERT INTO cluster (org_id, project_id, id, name, kind, set_name, major_version, parameters) VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)
