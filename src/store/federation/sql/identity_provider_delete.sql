-- Removes an identity provider of an organization's federation.
-- scope: organization :organization
DELETE FROM identity_provider p USING organization o WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider
