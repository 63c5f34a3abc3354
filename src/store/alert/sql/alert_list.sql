-- A page of a project's alerts, newest first; all, or those of one status.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM alert WHERE project_id = :project AND (:status::text IS NULL OR status = :status)) c
LEFT JOIN LATERAL (
    SELECT alert_json(a) AS document, a.id, a.created_at FROM alert a
    WHERE a.project_id = :project AND (:status::text IS NULL OR a.status = :status)
    ORDER BY a.created_at DESC, a.id DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.created_at DESC, p.id DESC
