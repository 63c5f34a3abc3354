-- A page of the projects in which a caller holds a role of its own (with the JSON list :reach in those organizations only), with their clusters in short form.
-- scope: principal :caller
WITH granted AS (SELECT DISTINCT project_id AS id, org_id FROM held_grant WHERE principal_id = :caller AND project_id IS NOT NULL
                 AND (:reach::jsonb IS NULL OR :reach::jsonb ? encode(org_id, 'hex')))
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM granted) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM (SELECT id, org_id FROM granted ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
    JOIN project_overview d ON d.org_id = page.org_id AND d.id = page.id
) p ON true
ORDER BY p.id
