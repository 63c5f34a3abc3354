-- A page of the API keys of an organization; with $4 of those that hold a role in that project.
-- scope: organization $1
WITH listed AS (
    SELECT k.id FROM api_key k
    WHERE k.org_id = $1
      AND ($4::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = k.id AND g.org_id = $1 AND g.project_id = $4))
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, api_key_json(page.id, $1) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
ORDER BY p.id
