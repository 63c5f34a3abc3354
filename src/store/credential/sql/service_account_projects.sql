-- A page of the projects in which a service account holds roles; no row when the organization has no such account.
-- scope: organization :organization
WITH listed AS (SELECT DISTINCT project_id AS id FROM role_grant WHERE org_id = :organization AND principal_id = :credential AND project_id IS NOT NULL)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, json_build_object('groupId', encode(page.id, 'hex'), 'roles', roles_json(:credential, :organization, page.id))::text AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
WHERE EXISTS (SELECT FROM service_account a WHERE a.org_id = :organization AND a.id = :credential)
ORDER BY p.id
