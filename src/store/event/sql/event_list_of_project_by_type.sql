-- A page of a project's events of some types ($6), newest first, counted up to $7. Each type is an ordered piece of an index; no more of each is read than the page needs.
-- scope: project $1
SELECT c.total, e.document, encode(e.id, 'hex'), e.project_seq
FROM event_range_in_project($1, $2::bigint, $3::bigint) r
CROSS JOIN LATERAL (
    SELECT count(*) AS total FROM (
        SELECT FROM unnest($6::text[]) AS t (type), LATERAL (
            SELECT FROM event WHERE project_id = $1 AND type = t.type AND project_seq BETWEEN r.first AND r.last
            ORDER BY project_seq DESC LIMIT $7::bigint) one
        LIMIT $7::bigint) counted) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.project_seq
    FROM (SELECT one.project_seq FROM unnest($6::text[]) AS t (type), LATERAL (
              SELECT project_seq FROM event WHERE project_id = $1 AND type = t.type AND project_seq BETWEEN r.first AND r.last
              ORDER BY project_seq DESC LIMIT $4::bigint + $5::bigint) one
          ORDER BY one.project_seq DESC OFFSET $4::bigint LIMIT $5::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, project_seq FROM event WHERE project_id = $1 AND project_seq = page.project_seq LIMIT 1) v
) e ON true
ORDER BY e.project_seq DESC
