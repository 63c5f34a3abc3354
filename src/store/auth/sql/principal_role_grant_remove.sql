-- Takes a role in an organization ($3 null) or in one of its projects away.
-- scope: organization $1
DELETE FROM role_grant
 WHERE org_id = $1 AND principal_id = $2 AND project_id IS NOT DISTINCT FROM $3::bytea AND role = $4::text;
