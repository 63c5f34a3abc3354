-- Takes away a team's roles in a project that are not in a JSON list.
-- scope: organization :organization
DELETE FROM team_grant WHERE org_id = :organization AND project_id = :project AND team_id = :team AND NOT (:roles::jsonb ? role)
