-- A page of a project's log integrations, oldest first, of type :integration_type unless that is empty. A project has few of them.
-- scope: project :project
SELECT c.total, p.document, p.name AS key
FROM (SELECT count(*) AS total FROM resource r WHERE r.scope = :project AND r.kind = 'logIntegration' AND (:integration_type = '' OR r.document ->> 'type' = :integration_type)) c
LEFT JOIN LATERAL (
    SELECT ((r.document - 'internal') || log_integration_state(r.scope, r.id))::text AS document, r.name, r.id
    FROM resource r WHERE r.scope = :project AND r.kind = 'logIntegration' AND (:integration_type = '' OR r.document ->> 'type' = :integration_type)
    ORDER BY r.id OFFSET :offset::bigint LIMIT :limit::bigint
) p ON true
ORDER BY p.id
