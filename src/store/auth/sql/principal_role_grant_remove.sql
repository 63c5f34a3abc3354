-- Takes a role in an organization (:project null) or in one of its projects away.
-- scope: organization :organization
DELETE FROM role_grant
 WHERE org_id = :organization AND principal_id = :principal AND project_id IS NOT DISTINCT FROM :project::bytea AND role = :role::text;
