-- Gives a project a value of its own for one limit; nothing when the organization has no such project.
-- scope: organization :organization
INSERT INTO project_limit AS l (org_id, project_id, name, value)
SELECT p.org_id, p.id, :name, :value::bigint FROM project p WHERE p.org_id = :organization AND p.id = :project
ON CONFLICT (project_id, name) DO UPDATE SET value = excluded.value, revision = nextval('revision') WHERE l.org_id = excluded.org_id
