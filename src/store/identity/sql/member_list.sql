-- A page of the members of an organization, active and invited; with $4 of those with a role in that project, or with one of
-- the organization's roles $7 that count there, or (with $8) with a team that has a role there. $5 is a user name or empty, $6 a
-- list of statuses or NULL.
-- scope: organization $1
WITH listed AS (
    SELECT m.id FROM member m
    WHERE m.org_id = $1
      AND ($5::text = '' OR lower(m.username) = lower($5::text))
      AND ($6::jsonb IS NULL OR $6::jsonb ? m.status)
      AND ($4::bytea IS NULL
           OR EXISTS (SELECT 1 FROM member_role r WHERE r.org_id = $1 AND r.id = m.id
                      AND (r.project_id = $4::bytea OR (r.project_id IS NULL AND $7::jsonb ? r.role)))
           OR ($8::boolean
               AND EXISTS (SELECT 1 FROM team_member t JOIN team_grant g ON g.org_id = $1 AND g.team_id = t.team_id
                           WHERE t.org_id = $1 AND t.person_id = m.id AND g.project_id = $4::bytea)))
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, member_json($1, page.id, $4::bytea) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
ORDER BY p.id
