-- A page of an organization's role mappings, oldest first; there are few.
-- scope: organization :organization
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM role_mapping WHERE org_id = :organization) c
LEFT JOIN LATERAL (SELECT role_mapping_json(m)::text AS document, m.id FROM role_mapping m WHERE m.org_id = :organization
                   ORDER BY m.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.id
