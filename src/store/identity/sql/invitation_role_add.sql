-- Adds a role in an organization ($3 null) or in one of its projects to an invitation; adding it again changes nothing.
-- scope: organization $1
INSERT INTO invitation_role (invitation_id, org_id, project_id, role)
SELECT $2::bytea, $1::bytea, $3::bytea, $4::text
WHERE $3::bytea IS NULL OR EXISTS (SELECT 1 FROM project p WHERE p.org_id = $1::bytea AND p.id = $3::bytea)
ON CONFLICT (invitation_id, coalesce(project_id, ''::bytea), role) DO UPDATE SET role = excluded.role
