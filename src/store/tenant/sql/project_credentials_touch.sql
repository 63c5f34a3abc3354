-- The credentials that hold a role in a project are others now, because it goes: their ETags move. Locked in one order.
-- scope: organization $1
UPDATE principal SET revision = nextval('revision')
WHERE org_id = $1
  AND id IN (SELECT p.id FROM principal p
             WHERE p.org_id = $1
               AND p.id IN (SELECT g.principal_id FROM role_grant g WHERE g.org_id = $1 AND g.project_id = $2::bytea)
             ORDER BY p.id FOR NO KEY UPDATE)
