-- A page of an organization's events between two dates, newest first. Places count without gaps, so neither the count nor a deep page reads more than the page.
-- scope: organization :scope
SELECT greatest(r.last - r.first + 1, 0) AS total, e.document, encode(e.id, 'hex') AS id, e.seq
FROM event_range(:scope, :min_ms::bigint, :max_ms::bigint) r
LEFT JOIN LATERAL (
    SELECT document, id, seq FROM event
    WHERE org_id = :scope AND seq BETWEEN greatest(r.first, r.last - :offset::bigint - :limit::bigint + 1) AND r.last - :offset::bigint
) e ON true
ORDER BY e.seq DESC
