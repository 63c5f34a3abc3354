-- One identity provider of an organization's federation.
-- scope: organization $1
SELECT identity_provider_json(p), p.revision
FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id
WHERE o.id = $1 AND p.id = $2
