-- One identity provider of an organization's federation, locked for a change, with what is not shown of it.
-- scope: organization :organization
SELECT identity_provider_json(p) AS document, p.revision, coalesce(p.settings -> 'hidden', '{}')::text AS hidden
FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id
WHERE o.id = :organization AND p.id = :provider
FOR NO KEY UPDATE OF p
