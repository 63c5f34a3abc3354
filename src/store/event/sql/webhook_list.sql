-- A page of an organization's webhooks, oldest first; there are few.
-- scope: organization :organization
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM webhook WHERE org_id = :organization) c
LEFT JOIN LATERAL (
    SELECT webhook_json(w) AS document, w.id FROM webhook w WHERE w.org_id = :organization ORDER BY w.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.id
