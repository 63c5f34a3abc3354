-- Addresses of people: with roles in a project ($3) or its organization, in a team ($4), or one by name ($5). Of the roles $2 only, when there are any.
-- scope: organization $1
SELECT DISTINCT n.username FROM person n
WHERE EXISTS (SELECT FROM held_grant g WHERE g.org_id = $1 AND g.principal_id = n.id
                AND CASE WHEN $3::bytea IS NULL THEN true ELSE g.project_id = $3 END AND ($2::text[] IS NULL OR g.role = ANY ($2)))
  AND ($4::bytea IS NULL OR EXISTS (SELECT FROM team_member m WHERE m.org_id = $1 AND m.team_id = $4 AND m.person_id = n.id))
  AND ($5::text IS NULL OR n.username = $5)
ORDER BY 1 LIMIT 100
