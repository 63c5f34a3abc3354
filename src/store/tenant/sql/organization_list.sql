-- A page of the organizations that a caller belongs to, oldest first, those whose name contains a text; with the JSON list :reach only those in it.
-- scope: principal :caller
WITH mine AS (
    SELECT org_id AS id FROM principal WHERE id = :caller AND org_id IS NOT NULL
    UNION
    SELECT org_id FROM role_grant WHERE principal_id = :caller AND (:reach::jsonb IS NULL OR :reach::jsonb ? encode(org_id, 'hex'))
), named AS (
    SELECT d.id, d.document FROM mine JOIN organization_document d ON d.id = mine.id
    WHERE position(lower(:name) IN lower(d.name)) > 0
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM named) c
LEFT JOIN LATERAL (SELECT id, document FROM named ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.id
