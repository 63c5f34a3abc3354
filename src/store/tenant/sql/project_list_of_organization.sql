-- A page of an organization's projects whose name contains a text, oldest first; with $4 only those in which that caller holds a role.
-- scope: organization $1
WITH listed AS (
    SELECT p.id FROM project p
    WHERE p.org_id = $1 AND position(lower($5::text) IN lower(p.name)) > 0
      AND ($4::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = $4::bytea AND g.org_id = $1 AND g.project_id = p.id))
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
    JOIN project_document d ON d.org_id = $1 AND d.id = page.id
) p ON true
ORDER BY p.id
