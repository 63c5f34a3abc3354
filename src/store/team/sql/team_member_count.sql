-- How many people are in a team. Lock the team first.
-- scope: organization $1
SELECT count(*) FROM team_member WHERE org_id = $1 AND team_id = $2
