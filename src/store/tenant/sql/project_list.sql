-- A page of an organization's projects, oldest first. One row at least: it carries the count also when the page is empty.
-- scope: organization $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT coalesce((SELECT total FROM list_counter WHERE scope = $1 AND kind = 'project'), 0) AS total) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM list_start($1, 'project', $2::bigint) s,
         LATERAL (SELECT id FROM project WHERE org_id = $1 AND id >= s.anchor ORDER BY id OFFSET s.skip LIMIT $3::bigint) page,
         project_document d
    WHERE d.org_id = $1 AND d.id = page.id
) p ON true
ORDER BY p.id
