-- A page of the people in a team, oldest first; with :username only the one with that user name, with :person only the one with that id,
-- and nobody without :with_active: all of them are active.
-- A team has at most 250. No row at all when there is no such team.
-- scope: organization :organization
WITH listed AS (
    SELECT m.person_id AS id FROM team_member m JOIN person n ON n.id = m.person_id
    WHERE m.org_id = :organization AND m.team_id = :team
      AND (:username::text IS NULL OR lower(n.username) = lower(:username::text)) AND (:person::bytea IS NULL OR n.id = :person::bytea) AND :with_active::boolean
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM team t
CROSS JOIN (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, team_user_json(page.id, :organization) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
WHERE t.org_id = :organization AND t.id = :team
ORDER BY p.id
