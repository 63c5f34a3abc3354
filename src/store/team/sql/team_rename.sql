-- Gives a team another name.
-- scope: organization :organization
UPDATE team SET name = :name, revision = nextval('revision') WHERE org_id = :organization AND id = :team RETURNING revision
