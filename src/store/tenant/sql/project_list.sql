-- A page of an organization's projects, oldest first. One row at least: it carries the count also when the page is empty.
-- scope: organization :organization
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT coalesce((SELECT total FROM list_counter WHERE scope = :organization AND kind = 'project'), 0) AS total) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id
    FROM list_start(:organization, 'project', :offset::bigint) s,
         LATERAL (SELECT id FROM project WHERE org_id = :organization AND id >= s.anchor ORDER BY id OFFSET s.skip LIMIT :limit::bigint) page,
         project_document d
    WHERE d.org_id = :organization AND d.id = page.id
) p ON true
ORDER BY p.id
