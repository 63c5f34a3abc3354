-- A new identity provider of an organization's federation.
-- scope: organization $1
INSERT INTO identity_provider (id, federation_id, protocol, status, issuer_uri, domains, settings)
SELECT $2, o.federation_id, $3, $4, $5, ARRAY(SELECT DISTINCT named.domain FROM jsonb_array_elements_text($6::jsonb) AS named (domain) ORDER BY 1), $7::jsonb
FROM organization o WHERE o.id = $1
