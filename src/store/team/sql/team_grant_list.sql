-- A page of the teams that hold roles in a project, with these roles, oldest first.
-- scope: organization :organization
WITH listed AS (SELECT DISTINCT team_id AS id FROM team_grant WHERE org_id = :organization AND project_id = :project)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, team_role_json(page.id, :organization, :project)::text AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
ORDER BY p.id
