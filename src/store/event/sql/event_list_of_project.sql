-- A page of a project's events between two dates, newest first. Places count without gaps, so neither the count nor a deep page reads more than the page.
-- scope: project :scope
SELECT greatest(r.last - r.first + 1, 0) AS total, e.document, encode(e.id, 'hex') AS id, e.project_seq AS seq
FROM event_range_in_project(:scope, :min_ms::bigint, :max_ms::bigint) r
LEFT JOIN LATERAL (
    SELECT document, id, project_seq FROM event
    WHERE project_id = :scope
      AND project_seq BETWEEN greatest(r.first, r.last - :offset::bigint - :limit::bigint + 1) AND r.last - :offset::bigint
) e ON true
ORDER BY e.project_seq DESC
