-- One API key as the API shows it; with $3 only when it holds a role in that project.
-- scope: organization $1
SELECT api_key_json(p.id, $1), p.revision FROM principal p
WHERE p.org_id = $1 AND p.id = $2 AND p.kind = 'api_key'
  AND ($3::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = p.id AND g.org_id = $1 AND g.project_id = $3))
