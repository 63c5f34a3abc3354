-- Takes away a team's roles in a project that are not in a JSON list.
-- scope: organization $1
DELETE FROM team_grant WHERE org_id = $1 AND project_id = $2 AND team_id = $3 AND NOT ($4::jsonb ? role)
