-- How many own an organization: all of them, and the people among them.
-- scope: organization :organization
SELECT count(*) AS count, count(*) FILTER (WHERE p.kind = 'person') AS people
FROM role_grant g JOIN principal p ON p.id = g.principal_id
WHERE g.org_id = :organization AND g.project_id IS NULL AND g.role = 'ORG_OWNER'
