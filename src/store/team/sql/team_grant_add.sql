-- Grants the teams of a JSON list of {teamId, roleNames} these roles in a project; what a team holds already stays.
-- scope: organization :organization
INSERT INTO team_grant (org_id, project_id, team_id, role)
SELECT :organization::bytea, :project::bytea, decode(e.entry ->> 'teamId', 'hex'), named.role
FROM jsonb_array_elements(:entries::jsonb) AS e (entry)
CROSS JOIN LATERAL jsonb_array_elements_text(e.entry -> 'roleNames') AS named (role)
ON CONFLICT (org_id, team_id, project_id, role) DO NOTHING
