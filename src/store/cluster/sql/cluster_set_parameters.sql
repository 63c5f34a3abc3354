-- Gives a cluster other server parameters; says whether they differ.
-- scope: organization $1
UPDATE cluster SET parameters = $3::jsonb WHERE org_id = $1 AND id = $2 AND parameters <> $3::jsonb
