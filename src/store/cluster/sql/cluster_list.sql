-- A page of a project's clusters of one kind, oldest first.
-- scope: project $1
SELECT c.total, p.document, p.name
FROM (SELECT coalesce((SELECT total FROM list_counter WHERE scope = $1 AND kind = $2), 0) AS total) c
LEFT JOIN LATERAL (
    SELECT d.document, d.id, d.name
    FROM list_start($1, $2, $3::bigint) s,
         LATERAL (SELECT r.id FROM resource r WHERE r.scope = $1 AND r.kind = $2 AND r.id >= s.anchor
                  ORDER BY r.id OFFSET s.skip LIMIT $4::bigint) page,
         cluster_document d
    WHERE d.scope = $1 AND d.kind = $2 AND d.id = page.id
) p ON true
ORDER BY p.id
