-- One team, locked for a change of its name, its members or its roles.
-- scope: organization $1
SELECT name, revision FROM team WHERE org_id = $1 AND id = $2 FOR UPDATE
