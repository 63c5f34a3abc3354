-- A page of a project's events about some clusters (:clusters), newest first, of some types when :types names any. Looks at the newest :most of each cluster; a count of :most or more means that there are more.
-- scope: project :scope
WITH looked AS MATERIALIZED (
    SELECT v.project_seq, v.type FROM event_range_in_project(:scope, :min_ms::bigint, :max_ms::bigint) r, unnest(:clusters::text[]) AS c (name), LATERAL (
        SELECT project_seq, type FROM event WHERE project_id = :scope AND cluster = c.name AND project_seq BETWEEN r.first AND r.last
        ORDER BY project_seq DESC LIMIT :most::bigint) v),
fitting AS MATERIALIZED (SELECT project_seq FROM looked WHERE :types::text[] IS NULL OR type = ANY (:types::text[]))
SELECT c.total, e.document, encode(e.id, 'hex') AS id, e.project_seq AS seq
FROM (SELECT CASE WHEN (SELECT count(*) FROM looked) >= :most::bigint THEN :most::bigint ELSE (SELECT count(*) FROM fitting) END AS total) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.project_seq
    FROM (SELECT project_seq FROM fitting ORDER BY project_seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, project_seq FROM event WHERE project_id = :scope AND project_seq = page.project_seq LIMIT 1) v
) e ON true
ORDER BY e.project_seq DESC
