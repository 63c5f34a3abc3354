-- The federation that an organization is in.
-- scope: organization $1
SELECT encode(o.federation_id, 'hex') FROM organization o WHERE o.id = $1
