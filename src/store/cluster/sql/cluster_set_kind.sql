-- Makes a flex cluster a dedicated one.
-- scope: organization $1
UPDATE cluster SET kind = $3 WHERE org_id = $1 AND id = $2
