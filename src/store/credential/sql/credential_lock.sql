-- A service account or API key (:kind), locked for a change; with :project only when it holds a role in that project.
-- scope: organization :organization
SELECT p.revision FROM principal p
WHERE p.org_id = :organization AND p.id = :credential AND p.kind = :kind::text
  AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = p.id AND g.org_id = :organization AND g.project_id = :project))
FOR NO KEY UPDATE OF p
