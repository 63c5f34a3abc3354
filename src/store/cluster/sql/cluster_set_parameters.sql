-- Gives a cluster other server parameters; says whether they differ.
-- scope: organization :organization
UPDATE cluster SET parameters = :parameters::jsonb WHERE org_id = :organization AND id = :cluster AND parameters <> :parameters::jsonb
