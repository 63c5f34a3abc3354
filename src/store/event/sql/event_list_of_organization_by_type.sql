-- A page of an organization's events of some types (:types), newest first, counted up to :most. Each type is an ordered piece of an index; no more of each is read than the page needs.
-- scope: organization :scope
SELECT c.total, e.document, encode(e.id, 'hex') AS id, e.seq
FROM event_range(:scope, :min_ms::bigint, :max_ms::bigint) r
CROSS JOIN LATERAL (
    SELECT count(*) AS total FROM (
        SELECT FROM unnest(:types::text[]) AS t (type), LATERAL (
            SELECT FROM event WHERE org_id = :scope AND type = t.type AND seq BETWEEN r.first AND r.last
            ORDER BY seq DESC LIMIT :most::bigint) one
        LIMIT :most::bigint) counted) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.seq
    FROM (SELECT one.seq FROM unnest(:types::text[]) AS t (type), LATERAL (
              SELECT seq FROM event WHERE org_id = :scope AND type = t.type AND seq BETWEEN r.first AND r.last
              ORDER BY seq DESC LIMIT :offset::bigint + :limit::bigint) one
          ORDER BY one.seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, seq FROM event WHERE org_id = :scope AND seq = page.seq LIMIT 1) v
) e ON true
ORDER BY e.seq DESC
