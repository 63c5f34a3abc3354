-- Makes a flex cluster a dedicated one.
-- scope: organization :organization
UPDATE cluster SET kind = :kind WHERE org_id = :organization AND id = :cluster
