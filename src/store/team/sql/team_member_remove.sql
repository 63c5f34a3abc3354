-- Takes a person out of a team.
-- scope: organization :organization
DELETE FROM team_member WHERE org_id = :organization AND team_id = :team AND person_id = :person
