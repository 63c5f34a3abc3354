-- A page of the teams that hold roles in a project, with these roles, oldest first.
-- scope: organization $1
WITH listed AS (SELECT DISTINCT team_id AS id FROM team_grant WHERE org_id = $1 AND project_id = $4)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, team_role_json(page.id, $1, $4)::text AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
ORDER BY p.id
