-- A page of a project's private endpoint services of one provider, oldest first.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM private_endpoint_service s WHERE s.project_id = :project AND s.provider = :provider) c
LEFT JOIN LATERAL (
    SELECT private_endpoint_service_json(s) AS document, s.id, s.number FROM private_endpoint_service s
    WHERE s.project_id = :project AND s.provider = :provider
    ORDER BY s.number OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.number
