-- One identity provider of an organization's federation.
-- scope: organization :organization
SELECT identity_provider_json(p) AS document, p.revision
FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id
WHERE o.id = :organization AND p.id = :provider
