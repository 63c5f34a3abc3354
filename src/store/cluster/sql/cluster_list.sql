-- A page of a project's clusters of one kind, oldest first.
-- scope: project :project
SELECT c.total, p.document, p.name AS key
FROM (SELECT coalesce((SELECT total FROM list_counter WHERE scope = :project AND kind = :kind), 0) AS total) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id, d.name
    FROM list_start(:project, :kind, :offset::bigint) s,
         LATERAL (SELECT r.id FROM resource r WHERE r.scope = :project AND r.kind = :kind AND r.id >= s.anchor
                  ORDER BY r.id OFFSET s.skip LIMIT :limit::bigint) page,
         cluster_document d
    WHERE d.scope = :project AND d.kind = :kind AND d.id = page.id
) p ON true
ORDER BY p.id
