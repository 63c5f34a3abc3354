-- A page of an organization's projects whose name contains a text, oldest first; with :caller only those in which that caller holds a role.
-- scope: organization :organization
WITH listed AS (
    SELECT p.id FROM project p
    WHERE p.org_id = :organization AND position(lower(:name::text) IN lower(p.name)) > 0
      AND (:caller::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = :caller::bytea AND g.org_id = :organization AND g.project_id = p.id))
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
    JOIN project_document d ON d.org_id = :organization AND d.id = page.id
) p ON true
ORDER BY p.id
