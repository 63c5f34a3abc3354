-- A page of the projects in which a service account holds roles; no row when the organization has no such account.
-- scope: organization $1
WITH listed AS (SELECT DISTINCT project_id AS id FROM role_grant WHERE org_id = $1 AND principal_id = $4 AND project_id IS NOT NULL)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, json_build_object('groupId', encode(page.id, 'hex'), 'roles', roles_json($4, $1, page.id))::text AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
WHERE EXISTS (SELECT FROM service_account a WHERE a.org_id = $1 AND a.id = $4)
ORDER BY p.id
