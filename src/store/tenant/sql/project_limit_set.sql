-- Gives a project a value of its own for one limit.
-- scope: organization :organization
INSERT INTO project_limit (org_id, project_id, name, value) VALUES (:organization, :project, :name, :value::bigint)
ON CONFLICT (project_id, name) DO UPDATE SET value = excluded.value, revision = nextval('revision')
