-- The next events of a project behind a place, oldest first, for who follows them; and where they end.
-- scope: project $1
SELECT c.seq, e.project_seq, e.type, true, e.cluster, e.document, encode(e.id, 'hex')
FROM (SELECT coalesce((SELECT seq FROM event_count_of_project WHERE project_id = $1), 0) AS seq) c
LEFT JOIN LATERAL (
    SELECT * FROM event WHERE project_id = $1 AND project_seq > $2::bigint ORDER BY project_seq LIMIT $3::bigint) e ON true
ORDER BY e.project_seq
