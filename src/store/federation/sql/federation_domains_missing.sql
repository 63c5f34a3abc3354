-- Those of the domains in the JSON list $2 that are not of an organization's federation.
-- scope: organization $1
SELECT named.domain
FROM organization o, jsonb_array_elements_text($2::jsonb) AS named (domain)
WHERE o.id = $1 AND NOT EXISTS (SELECT FROM federation_domain d WHERE d.federation_id = o.federation_id AND d.domain = named.domain)
ORDER BY named.domain
