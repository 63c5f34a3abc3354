-- Those of the domains in the JSON list :domains that are not of an organization's federation.
-- scope: organization :organization
SELECT named.domain
FROM organization o, jsonb_array_elements_text(:domains::jsonb) AS named (domain)
WHERE o.id = :organization AND NOT EXISTS (SELECT FROM federation_domain d WHERE d.federation_id = o.federation_id AND d.domain = named.domain)
ORDER BY named.domain
