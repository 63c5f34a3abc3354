-- One team that holds roles in a project, with these roles.
-- scope: organization :organization
SELECT team_role_json(t.id, :organization, :project)::text AS document, t.revision FROM team t
WHERE t.org_id = :organization AND t.id = :team
  AND EXISTS (SELECT 1 FROM team_grant g WHERE g.org_id = :organization AND g.project_id = :project AND g.team_id = t.id)
