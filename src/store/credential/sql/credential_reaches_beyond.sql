-- Whether a credential holds any role outside one project, beside belonging to the organization.
-- scope: organization $1
SELECT EXISTS (
    SELECT 1 FROM role_grant g
    WHERE g.org_id = $1 AND g.principal_id = $2
      AND (g.project_id IS NULL AND g.role <> 'ORG_MEMBER' OR g.project_id <> $3))
