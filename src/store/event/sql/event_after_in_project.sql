-- The next events of a project behind a place, oldest first, for who follows them; and where they end.
-- scope: project :scope
SELECT c.seq AS last_seq, e.project_seq AS seq, e.type, true AS of_project, e.cluster, e.document, encode(e.id, 'hex') AS id
FROM (SELECT coalesce((SELECT seq FROM event_count_of_project WHERE project_id = :scope), 0) AS seq) c
LEFT JOIN LATERAL (
    SELECT * FROM event WHERE project_id = :scope AND project_seq > :after::bigint ORDER BY project_seq LIMIT :limit::bigint) e ON true
ORDER BY e.project_seq
