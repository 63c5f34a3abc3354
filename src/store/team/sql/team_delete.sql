-- Deletes a team, with its members' places and its roles.
-- scope: organization $1
DELETE FROM team WHERE org_id = $1 AND id = $2
