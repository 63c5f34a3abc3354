-- Gives a team another name.
-- scope: organization $1
UPDATE team SET name = $3, revision = nextval('revision') WHERE org_id = $1 AND id = $2 RETURNING revision
