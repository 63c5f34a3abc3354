-- One team that holds roles in a project, with these roles.
-- scope: organization $1
SELECT team_role_json(t.id, $1, $2)::text, t.revision FROM team t
WHERE t.org_id = $1 AND t.id = $3
  AND EXISTS (SELECT 1 FROM team_grant g WHERE g.org_id = $1 AND g.project_id = $2 AND g.team_id = t.id)
