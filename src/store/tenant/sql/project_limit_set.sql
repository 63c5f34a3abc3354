-- Gives a project a value of its own for one limit.
-- scope: organization $1
INSERT INTO project_limit (org_id, project_id, name, value) VALUES ($1, $2, $3, $4::bigint)
ON CONFLICT (project_id, name) DO UPDATE SET value = excluded.value, revision = nextval('revision')
