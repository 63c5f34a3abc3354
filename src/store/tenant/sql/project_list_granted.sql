-- A page of the projects in which a caller holds a role of its own (with the JSON list $4 in those organizations only), oldest first.
-- scope: principal $1
WITH granted AS (SELECT DISTINCT project_id AS id, org_id FROM held_grant WHERE principal_id = $1 AND project_id IS NOT NULL
                 AND ($4::jsonb IS NULL OR $4::jsonb ? encode(org_id, 'hex')))
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM granted) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM (SELECT id, org_id FROM granted ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
    JOIN project_document d ON d.org_id = page.org_id AND d.id = page.id
) p ON true
ORDER BY p.id
