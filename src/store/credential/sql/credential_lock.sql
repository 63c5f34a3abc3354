-- A service account or API key ($3), locked for a change; with $4 only when it holds a role in that project.
-- scope: organization $1
SELECT p.revision FROM principal p
WHERE p.org_id = $1 AND p.id = $2 AND p.kind = $3::text
  AND ($4::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = p.id AND g.org_id = $1 AND g.project_id = $4))
FOR NO KEY UPDATE OF p
