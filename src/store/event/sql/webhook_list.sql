-- A page of an organization's webhooks, oldest first; there are few.
-- scope: organization $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM webhook WHERE org_id = $1) c
LEFT JOIN LATERAL (
    SELECT webhook_json(w) AS document, w.id FROM webhook w WHERE w.org_id = $1 ORDER BY w.id OFFSET $2::bigint LIMIT $3::bigint) p ON true
ORDER BY p.id
