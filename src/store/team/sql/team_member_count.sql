-- How many people are in a team. Lock the team first.
-- scope: organization :organization
SELECT count(*) AS count FROM team_member WHERE org_id = :organization AND team_id = :team
