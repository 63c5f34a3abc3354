-- A page of an organization's events of some types ($6), newest first, counted up to $7. Each type is an ordered piece of an index; no more of each is read than the page needs.
-- scope: organization $1
SELECT c.total, e.document, encode(e.id, 'hex'), e.seq
FROM event_range($1, $2::bigint, $3::bigint) r
CROSS JOIN LATERAL (
    SELECT count(*) AS total FROM (
        SELECT FROM unnest($6::text[]) AS t (type), LATERAL (
            SELECT FROM event WHERE org_id = $1 AND type = t.type AND seq BETWEEN r.first AND r.last
            ORDER BY seq DESC LIMIT $7::bigint) one
        LIMIT $7::bigint) counted) c
LEFT JOIN LATERAL (
    SELECT v.document, v.id, v.seq
    FROM (SELECT one.seq FROM unnest($6::text[]) AS t (type), LATERAL (
              SELECT seq FROM event WHERE org_id = $1 AND type = t.type AND seq BETWEEN r.first AND r.last
              ORDER BY seq DESC LIMIT $4::bigint + $5::bigint) one
          ORDER BY one.seq DESC OFFSET $4::bigint LIMIT $5::bigint) page
    CROSS JOIN LATERAL (SELECT document, id, seq FROM event WHERE org_id = $1 AND seq = page.seq LIMIT 1) v
) e ON true
ORDER BY e.seq DESC
