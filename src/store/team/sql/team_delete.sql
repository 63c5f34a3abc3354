-- Deletes a team, with its members' places and its roles.
-- scope: organization :organization
DELETE FROM team WHERE org_id = :organization AND id = :team
