-- A page of the members of an organization, active and invited; with :project of those with a role in that project, or with one of
-- the organization's roles :project_roles that count there, or (with :flatten_teams) with a team that has a role there. :username is a user name or empty, :statuses a
-- list of statuses or NULL.
-- scope: organization :organization
WITH listed AS (
    SELECT m.id FROM member m
    WHERE m.org_id = :organization
      AND (:username::text = '' OR lower(m.username) = lower(:username::text))
      AND (:statuses::jsonb IS NULL OR :statuses::jsonb ? m.status)
      AND (:project::bytea IS NULL
           OR EXISTS (SELECT 1 FROM member_role r WHERE r.org_id = :organization AND r.id = m.id
                      AND (r.project_id = :project::bytea OR (r.project_id IS NULL AND :project_roles::jsonb ? r.role)))
           OR (:flatten_teams::boolean
               AND EXISTS (SELECT 1 FROM team_member t JOIN team_grant g ON g.org_id = :organization AND g.team_id = t.team_id
                           WHERE t.org_id = :organization AND t.person_id = m.id AND g.project_id = :project::bytea)))
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, member_json(:organization, page.id, :project::bytea) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
ORDER BY p.id
