-- A person with the roles held in one organization.
-- scope: organization $1
SELECT person_json(g.principal_id, ARRAY[$1::bytea]) FROM role_grant g WHERE g.org_id = $1 AND g.principal_id = $2 LIMIT 1
