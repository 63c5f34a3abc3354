-- A page of the organizations that share an organization's federation.
-- scope: organization :organization
WITH connected AS (
    SELECT c.org_id FROM organization o JOIN connected_organization c ON c.federation_id = o.federation_id WHERE o.id = :organization
)
SELECT c.total, p.document, encode(p.org_id, 'hex') AS key
FROM (SELECT count(*) AS total FROM connected) c
LEFT JOIN LATERAL (SELECT page.org_id, connected_organization_json(page.org_id)::text AS document
                   FROM (SELECT org_id FROM connected ORDER BY org_id OFFSET :offset::bigint LIMIT :limit::bigint) page) p ON true
ORDER BY p.org_id
