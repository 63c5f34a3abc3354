-- One service account as the API shows it; with $3 only when it holds a role in that project, and with its roles there.
-- scope: organization $1
SELECT service_account_json(p.id, $1, $3::bytea), p.revision FROM principal p
WHERE p.org_id = $1 AND p.id = $2 AND p.kind = 'service_account'
  AND ($3::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = p.id AND g.org_id = $1 AND g.project_id = $3))
