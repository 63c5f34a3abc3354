-- Gives the members for analytics of a cluster other server parameters of their own; says whether they differ.
-- scope: organization :organization
UPDATE cluster SET analytics_parameters = :parameters::jsonb WHERE org_id = :organization AND id = :cluster AND analytics_parameters <> :parameters::jsonb
