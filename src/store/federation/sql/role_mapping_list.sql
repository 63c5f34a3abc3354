-- A page of an organization's role mappings, oldest first; there are few.
-- scope: organization $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM role_mapping WHERE org_id = $1) c
LEFT JOIN LATERAL (SELECT role_mapping_json(m)::text AS document, m.id FROM role_mapping m WHERE m.org_id = $1
                   ORDER BY m.id OFFSET $2::bigint LIMIT $3::bigint) p ON true
ORDER BY p.id
