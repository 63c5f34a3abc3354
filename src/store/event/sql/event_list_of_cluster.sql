-- A page of a project's events about some clusters ($8), newest first, of some types when $6 names any. Looks at the newest $7 of each cluster; a count of $7 or more means that there are more.
-- scope: project $1
WITH looked AS MATERIALIZED (
    SELECT v.project_seq, v.type FROM event_range_in_project($1, $2::bigint, $3::bigint) r, unnest($8::text[]) AS c (name), LATERAL (
        SELECT project_seq, type FROM event WHERE project_id = $1 AND cluster = c.name AND project_seq BETWEEN r.first AND r.last
        ORDER BY project_seq DESC LIMIT $7::bigint) v),
fitting AS MATERIALIZED (SELECT project_seq FROM looked WHERE $6::text[] IS NULL OR type = ANY ($6::text[]))
SELECT c.total, e.document, encode(e.id, 'hex'), e.project_seq
FROM (SELECT CASE WHEN (SELECT count(*) FROM looked) >= $7::bigint THEN $7::bigint ELSE (SELECT count(*) FROM fitting) END AS total) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.project_seq
    FROM (SELECT project_seq FROM fitting ORDER BY project_seq DESC OFFSET $4::bigint LIMIT $5::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, project_seq FROM event WHERE project_id = $1 AND project_seq = page.project_seq LIMIT 1) v
) e ON true
ORDER BY e.project_seq DESC
