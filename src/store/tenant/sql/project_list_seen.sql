-- A page of the projects of a caller who may read all of several organizations (the ids in the JSON list :organizations), or of one and single
-- projects elsewhere (with the JSON list :reach in those organizations only); oldest first. Every organization is read up to the end of the page.
-- scope: principal :caller
WITH whole AS (SELECT decode(named.id, 'hex') AS org_id FROM jsonb_array_elements_text(:organizations::jsonb) AS named (id)),
elsewhere AS (
    SELECT DISTINCT g.project_id::bytea AS id, g.org_id::bytea FROM held_grant g
    WHERE g.principal_id = :caller AND g.project_id IS NOT NULL AND g.org_id NOT IN (SELECT w.org_id FROM whole w)
      AND (:reach::jsonb IS NULL OR :reach::jsonb ? encode(g.org_id, 'hex'))
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT (SELECT coalesce(sum(l.total), 0) FROM whole w JOIN list_counter l ON l.scope = w.org_id AND l.kind = 'project')
             + (SELECT count(*) FROM elsewhere) AS total) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM (SELECT one.id, one.org_id
          FROM (SELECT o.id::bytea, o.org_id::bytea
                FROM whole w CROSS JOIN LATERAL (SELECT i.id, i.org_id FROM project i WHERE i.org_id = w.org_id
                                                 ORDER BY i.id LIMIT :offset::bigint + :limit::bigint) o
                UNION ALL
                SELECT e.id, e.org_id FROM elsewhere e) one
          ORDER BY one.id OFFSET :offset::bigint LIMIT :limit::bigint) page
    JOIN project_document d ON d.org_id = page.org_id AND d.id = page.id
) p ON true
ORDER BY p.id
