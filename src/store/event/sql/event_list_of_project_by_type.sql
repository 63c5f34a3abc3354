-- A page of a project's events of some types (:types), newest first, counted up to :most. Each type is an ordered piece of an index; no more of each is read than the page needs.
-- scope: project :scope
SELECT c.total, e.document, encode(e.id, 'hex') AS id, e.project_seq AS seq
FROM event_range_in_project(:scope, :min_ms::bigint, :max_ms::bigint) r
CROSS JOIN LATERAL (
    SELECT count(*) AS total FROM (
        SELECT FROM unnest(:types::text[]) AS t (type), LATERAL (
            SELECT FROM event WHERE project_id = :scope AND type = t.type AND project_seq BETWEEN r.first AND r.last
            ORDER BY project_seq DESC LIMIT :most::bigint) one
        LIMIT :most::bigint) counted) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.project_seq
    FROM (SELECT one.project_seq FROM unnest(:types::text[]) AS t (type), LATERAL (
              SELECT project_seq FROM event WHERE project_id = :scope AND type = t.type AND project_seq BETWEEN r.first AND r.last
              ORDER BY project_seq DESC LIMIT :offset::bigint + :limit::bigint) one
          ORDER BY one.project_seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, project_seq FROM event WHERE project_id = :scope AND project_seq = page.project_seq LIMIT 1) v
) e ON true
ORDER BY e.project_seq DESC
