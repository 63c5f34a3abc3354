-- A page of the identity providers of an organization's federation, oldest first, those of the protocols in the JSON list $4.
-- scope: organization $1
WITH listed AS (
    SELECT p.id FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id
    WHERE o.id = $1 AND $4::jsonb ? p.protocol
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (SELECT i.id, identity_provider_json(i) AS document
                   FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
                   JOIN identity_provider i ON i.id = page.id) p ON true
ORDER BY p.id
