-- A page of the people in a team, oldest first; with $5 only the one with that user name, with $6 only the one with that id,
-- and nobody without $7: all of them are active.
-- A team has at most 250. No row at all when there is no such team.
-- scope: organization $1
WITH listed AS (
    SELECT m.person_id AS id FROM team_member m JOIN person n ON n.id = m.person_id
    WHERE m.org_id = $1 AND m.team_id = $4
      AND ($5::text IS NULL OR lower(n.username) = lower($5::text)) AND ($6::bytea IS NULL OR n.id = $6::bytea) AND $7::boolean
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM team t
CROSS JOIN (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, team_user_json(page.id, $1) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
WHERE t.org_id = $1 AND t.id = $4
ORDER BY p.id
