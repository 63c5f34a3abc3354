-- Whether a credential holds any role outside one project, beside belonging to the organization.
-- scope: organization :organization
SELECT EXISTS (
    SELECT 1 FROM role_grant g
    WHERE g.org_id = :organization AND g.principal_id = :credential
      AND (g.project_id IS NULL AND g.role <> 'ORG_MEMBER' OR g.project_id <> :project)) AS beyond
