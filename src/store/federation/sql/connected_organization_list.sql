-- A page of the organizations that share an organization's federation.
-- scope: organization $1
WITH connected AS (
    SELECT c.org_id FROM organization o JOIN connected_organization c ON c.federation_id = o.federation_id WHERE o.id = $1
)
SELECT c.total, p.document, encode(p.org_id, 'hex')
FROM (SELECT count(*) AS total FROM connected) c
LEFT JOIN LATERAL (SELECT page.org_id, connected_organization_json(page.org_id)::text AS document
                   FROM (SELECT org_id FROM connected ORDER BY org_id OFFSET $2::bigint LIMIT $3::bigint) page) p ON true
ORDER BY p.org_id
