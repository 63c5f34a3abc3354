-- One service account as the API shows it; with :project only when it holds a role in that project, and with its roles there.
-- scope: organization :organization
SELECT service_account_json(p.id, :organization, :project::bytea) AS document, p.revision FROM principal p
WHERE p.org_id = :organization AND p.id = :credential AND p.kind = 'service_account'
  AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = p.id AND g.org_id = :organization AND g.project_id = :project))
