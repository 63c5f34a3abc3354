-- A page of the identity providers of an organization's federation, oldest first, those of the protocols and types in the JSON lists :protocols and :types.
-- scope: organization :organization
WITH listed AS (
    SELECT p.id FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id
    WHERE o.id = :organization AND :protocols::jsonb ? p.protocol
      AND :types::jsonb ? CASE WHEN provider_is_for_programs(p) THEN 'WORKLOAD' ELSE 'WORKFORCE' END
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (SELECT i.id, identity_provider_json(i) AS document
                   FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
                   JOIN identity_provider i ON i.id = page.id) p ON true
ORDER BY p.id
