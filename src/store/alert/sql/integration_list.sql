-- A page of a project's integrations, oldest first, with how sending of measurements goes. There is one of each type at most.
-- scope: project :project
SELECT c.total, p.document, p.name AS key
FROM (SELECT count(*) AS total FROM resource r WHERE r.scope = :project AND r.kind = 'integration') c
LEFT JOIN LATERAL (
    SELECT ((r.document - 'internal') || measurement_push_state(r.id))::text AS document, r.name, r.id
    FROM resource r WHERE r.scope = :project AND r.kind = 'integration' ORDER BY r.id OFFSET :offset::bigint LIMIT :limit::bigint
) p ON true
ORDER BY p.id
