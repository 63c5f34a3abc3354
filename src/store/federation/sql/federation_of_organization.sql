-- The federation that an organization is in.
-- scope: organization :organization
SELECT encode(o.federation_id, 'hex') AS federation FROM organization o WHERE o.id = :organization
