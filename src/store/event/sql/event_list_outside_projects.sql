-- A page of what happened in an organization outside of its projects, newest first, of some types when $6 names any. Looks at the newest $7 of them; a count of $7 or more means that there are more.
-- scope: organization $1
WITH looked AS MATERIALIZED (
    SELECT v.seq, v.type FROM event_range($1, $2::bigint, $3::bigint) r, LATERAL (
        SELECT seq, type FROM event WHERE org_id = $1 AND project_id IS NULL AND seq BETWEEN r.first AND r.last
        ORDER BY seq DESC LIMIT $7::bigint) v),
fitting AS MATERIALIZED (SELECT seq FROM looked WHERE $6::text[] IS NULL OR type = ANY ($6::text[]))
SELECT c.total, e.document, encode(e.id, 'hex'), e.seq
FROM (SELECT CASE WHEN (SELECT count(*) FROM looked) >= $7::bigint THEN $7::bigint ELSE (SELECT count(*) FROM fitting) END AS total) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.seq
    FROM (SELECT seq FROM fitting ORDER BY seq DESC OFFSET $4::bigint LIMIT $5::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, seq FROM event WHERE org_id = $1 AND seq = page.seq LIMIT 1) v
) e ON true
ORDER BY e.seq DESC
