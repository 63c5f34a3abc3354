-- A page of a project's events between two dates, newest first. Places count without gaps, so neither the count nor a deep page reads more than the page.
-- scope: project $1
SELECT greatest(r.last - r.first + 1, 0), e.document, encode(e.id, 'hex'), e.project_seq
FROM event_range_in_project($1, $2::bigint, $3::bigint) r
LEFT JOIN LATERAL (
    SELECT document, id, project_seq FROM event
    WHERE project_id = $1
      AND project_seq BETWEEN greatest(r.first, r.last - $4::bigint - $5::bigint + 1) AND r.last - $4::bigint
) e ON true
ORDER BY e.project_seq DESC
