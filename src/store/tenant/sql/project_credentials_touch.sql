-- The credentials that hold a role in a project are others now, because it goes: their ETags move. Locked in one order.
-- scope: organization :organization
UPDATE principal SET revision = nextval('revision')
WHERE org_id = :organization
  AND id IN (SELECT p.id FROM principal p
             WHERE p.org_id = :organization
               AND p.id IN (SELECT g.principal_id FROM role_grant g WHERE g.org_id = :organization AND g.project_id = :project::bytea)
             ORDER BY p.id FOR NO KEY UPDATE)
