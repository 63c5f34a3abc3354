-- A page of the resources of a kind, oldest first, without the field :hidden. One row at least: it carries the count also when the page is empty.
-- scope: project :scope
SELECT c.total, p.document, p.name AS key
FROM (SELECT coalesce((SELECT total FROM list_counter WHERE scope = :scope AND kind = :kind), 0) AS total) c
LEFT JOIN LATERAL (
    SELECT (page.document - :hidden::text)::text AS document, page.name, page.id
    FROM list_start(:scope, :kind, :offset::bigint) s,
         LATERAL (SELECT r.id, r.name, r.document FROM resource r
                  WHERE r.scope = :scope AND r.kind = :kind AND r.id >= s.anchor ORDER BY r.id OFFSET s.skip LIMIT :limit::bigint) page
) p ON true
ORDER BY p.id
