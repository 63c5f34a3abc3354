-- A page of the service accounts of an organization; with $4 of those that hold a role in that project.
-- scope: organization $1
WITH listed AS (
    SELECT a.id FROM service_account a
    WHERE a.org_id = $1
      AND ($4::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = a.id AND g.org_id = $1 AND g.project_id = $4))
)
SELECT c.total, p.document, 'reeve_sa_' || encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, service_account_json(page.id, $1, $4::bytea) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
ORDER BY p.id
