-- Takes a role in an organization ($3 null) or in one of its projects off an invitation.
-- scope: organization $1
DELETE FROM invitation_role
WHERE org_id = $1 AND invitation_id = $2 AND project_id IS NOT DISTINCT FROM $3::bytea AND role = $4::text
