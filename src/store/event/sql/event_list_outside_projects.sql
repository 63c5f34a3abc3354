-- A page of what happened in an organization outside of its projects, newest first, of some types when :types names any. Looks at the newest :most of them; a count of :most or more means that there are more.
-- scope: organization :scope
WITH looked AS MATERIALIZED (
    SELECT v.seq, v.type FROM event_range(:scope, :min_ms::bigint, :max_ms::bigint) r, LATERAL (
        SELECT seq, type FROM event WHERE org_id = :scope AND project_id IS NULL AND seq BETWEEN r.first AND r.last
        ORDER BY seq DESC LIMIT :most::bigint) v),
fitting AS MATERIALIZED (SELECT seq FROM looked WHERE :types::text[] IS NULL OR type = ANY (:types::text[]))
SELECT c.total, e.document, encode(e.id, 'hex') AS id, e.seq
FROM (SELECT CASE WHEN (SELECT count(*) FROM looked) >= :most::bigint THEN :most::bigint ELSE (SELECT count(*) FROM fitting) END AS total) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.seq
    FROM (SELECT seq FROM fitting ORDER BY seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, seq FROM event WHERE org_id = :scope AND seq = page.seq LIMIT 1) v
) e ON true
ORDER BY e.seq DESC
