-- Adds a role in an organization (:project null) or in one of its projects to an invitation; adding it again changes nothing.
-- scope: organization :organization
INSERT INTO invitation_role (invitation_id, org_id, project_id, role)
SELECT :member::bytea, :organization::bytea, :project::bytea, :role::text
WHERE :project::bytea IS NULL OR EXISTS (SELECT 1 FROM project p WHERE p.org_id = :organization::bytea AND p.id = :project::bytea)
ON CONFLICT (invitation_id, coalesce(project_id, ''::bytea), role) DO UPDATE SET role = excluded.role
