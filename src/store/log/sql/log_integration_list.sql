-- A page of a project's log integrations, oldest first, of type $4 unless that is empty. A project has few of them.
-- scope: project $1
SELECT c.total, p.document, p.name
FROM (SELECT count(*) AS total FROM resource r WHERE r.scope = $1 AND r.kind = 'logIntegration' AND ($4 = '' OR r.document ->> 'type' = $4)) c
LEFT JOIN LATERAL (
    SELECT ((r.document - 'internal') || log_integration_state(r.scope, r.id))::text AS document, r.name, r.id
    FROM resource r WHERE r.scope = $1 AND r.kind = 'logIntegration' AND ($4 = '' OR r.document ->> 'type' = $4)
    ORDER BY r.id OFFSET $2::bigint LIMIT $3::bigint
) p ON true
ORDER BY p.id
