-- Grants a role in an organization ($3 null) or in one of its projects; granting it again changes nothing.
-- scope: organization $1
INSERT INTO role_grant (principal_id, org_id, project_id, role)
SELECT $2::bytea, $1::bytea, $3::bytea, $4::text
 WHERE $3::bytea IS NULL OR EXISTS (SELECT 1 FROM project p WHERE p.org_id = $1::bytea AND p.id = $3::bytea)
ON CONFLICT (principal_id, org_id, coalesce(project_id, ''::bytea), role) DO UPDATE SET role = excluded.role;
