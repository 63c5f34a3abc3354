-- A page of an organization's events between two dates, newest first. Places count without gaps, so neither the count nor a deep page reads more than the page.
-- scope: organization $1
SELECT greatest(r.last - r.first + 1, 0), e.document, encode(e.id, 'hex'), e.seq
FROM event_range($1, $2::bigint, $3::bigint) r
LEFT JOIN LATERAL (
    SELECT document, id, seq FROM event
    WHERE org_id = $1 AND seq BETWEEN greatest(r.first, r.last - $4::bigint - $5::bigint + 1) AND r.last - $4::bigint
) e ON true
ORDER BY e.seq DESC
