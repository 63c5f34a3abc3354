-- A new identity provider of an organization's federation.
-- scope: organization :organization
INSERT INTO identity_provider (id, federation_id, protocol, status, issuer_uri, domains, settings)
SELECT :provider, o.federation_id, :protocol, :status, :issuer, ARRAY(SELECT DISTINCT named.domain FROM jsonb_array_elements_text(:domains::jsonb) AS named (domain) ORDER BY 1), :settings::jsonb
FROM organization o WHERE o.id = :organization
