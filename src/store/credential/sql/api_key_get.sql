-- One API key as the API shows it; with :project only when it holds a role in that project.
-- scope: organization :organization
SELECT api_key_json(p.id, :organization) AS document, p.revision FROM principal p
WHERE p.org_id = :organization AND p.id = :credential AND p.kind = 'api_key'
  AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = p.id AND g.org_id = :organization AND g.project_id = :project))
