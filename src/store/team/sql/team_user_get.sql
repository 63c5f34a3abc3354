-- A person who belongs to the organization, as its members are shown.
-- scope: organization $1
SELECT team_user_json(n.id, $1) FROM person n
WHERE n.id = $2 AND EXISTS (SELECT 1 FROM role_grant g WHERE g.org_id = $1 AND g.principal_id = n.id)
