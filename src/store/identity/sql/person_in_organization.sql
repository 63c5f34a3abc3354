-- A person with the roles held in one organization.
-- scope: organization :organization
SELECT person_json(g.principal_id, ARRAY[:organization::bytea]) AS document FROM role_grant g WHERE g.org_id = :organization AND g.principal_id = :person LIMIT 1
