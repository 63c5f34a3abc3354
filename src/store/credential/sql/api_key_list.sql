-- A page of the API keys of an organization; with :project of those that hold a role in that project.
-- scope: organization :organization
WITH listed AS (
    SELECT k.id FROM api_key k
    WHERE k.org_id = :organization
      AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = k.id AND g.org_id = :organization AND g.project_id = :project))
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, api_key_json(page.id, :organization) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
ORDER BY p.id
