-- A page of the resources of a kind, oldest first, without the field $5. One row at least: it carries the count also when the page is empty.
-- scope: project $1
SELECT c.total, p.document, p.name
FROM (SELECT coalesce((SELECT total FROM list_counter WHERE scope = $1 AND kind = $2), 0) AS total) c
LEFT JOIN LATERAL (
    SELECT (page.document - $5::text)::text AS document, page.name, page.id
    FROM list_start($1, $2, $3::bigint) s,
         LATERAL (SELECT r.id, r.name, r.document FROM resource r
                  WHERE r.scope = $1 AND r.kind = $2 AND r.id >= s.anchor ORDER BY r.id OFFSET s.skip LIMIT $4::bigint) page
) p ON true
ORDER BY p.id
