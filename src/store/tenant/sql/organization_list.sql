-- A page of the organizations that a caller belongs to, oldest first, those whose name contains a text; with the JSON list $5 only those in it.
-- scope: principal $1
WITH mine AS (
    SELECT org_id AS id FROM principal WHERE id = $1 AND org_id IS NOT NULL
    UNION
    SELECT org_id FROM role_grant WHERE principal_id = $1 AND ($5::jsonb IS NULL OR $5::jsonb ? encode(org_id, 'hex'))
), named AS (
    SELECT d.id, d.document FROM mine JOIN organization_document d ON d.id = mine.id
    WHERE position(lower($4) IN lower(d.name)) > 0
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM named) c
LEFT JOIN LATERAL (SELECT id, document FROM named ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) p ON true
ORDER BY p.id
