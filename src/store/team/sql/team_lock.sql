-- One team, locked for a change of its name, its members or its roles.
-- scope: organization :organization
SELECT name, revision FROM team WHERE org_id = :organization AND id = :team FOR UPDATE
