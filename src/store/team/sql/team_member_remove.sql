-- Takes a person out of a team.
-- scope: organization $1
DELETE FROM team_member WHERE org_id = $1 AND team_id = $2 AND person_id = $3
