-- Addresses of people: with roles in a project (:project) or its organization, in a team (:team), or one by name (:username). Of the roles :roles only, when there are any.
-- scope: organization :organization
SELECT DISTINCT n.username FROM person n
WHERE EXISTS (SELECT FROM held_grant g WHERE g.org_id = :organization AND g.principal_id = n.id
                AND CASE WHEN :project::bytea IS NULL THEN true ELSE g.project_id = :project END AND (:roles::text[] IS NULL OR g.role = ANY (:roles)))
  AND (:team::bytea IS NULL OR EXISTS (SELECT FROM team_member m WHERE m.org_id = :organization AND m.team_id = :team AND m.person_id = n.id))
  AND (:username::text IS NULL OR n.username = :username)
ORDER BY 1 LIMIT 100
