-- Takes a role in an organization (:project null) or in one of its projects off an invitation.
-- scope: organization :organization
DELETE FROM invitation_role
WHERE org_id = :organization AND invitation_id = :member AND project_id IS NOT DISTINCT FROM :project::bytea AND role = :role::text
