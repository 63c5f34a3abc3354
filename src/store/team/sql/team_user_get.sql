-- A person who belongs to the organization, as its members are shown.
-- scope: organization :organization
SELECT team_user_json(n.id, :organization) AS document FROM person n
WHERE n.id = :person AND EXISTS (SELECT 1 FROM role_grant g WHERE g.org_id = :organization AND g.principal_id = n.id)
