-- Removes an identity provider of an organization's federation.
-- scope: organization $1
DELETE FROM identity_provider p USING organization o WHERE o.id = $1 AND p.federation_id = o.federation_id AND p.id = $2
