-- One identity provider of an organization's federation, locked for a change, with what is not shown of it.
-- scope: organization $1
SELECT identity_provider_json(p), p.revision, coalesce(p.settings -> 'hidden', '{}')::text
FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id
WHERE o.id = $1 AND p.id = $2
FOR NO KEY UPDATE OF p
