-- A page of the alerts of one configuration that are not closed, newest first; no row when the project has no such configuration.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM alert WHERE project_id = :project AND config_id = :config AND status <> 'CLOSED') c
LEFT JOIN LATERAL (
    SELECT alert_json(a) AS document, a.id, a.created_at FROM alert a
    WHERE a.project_id = :project AND a.config_id = :config AND a.status <> 'CLOSED'
    ORDER BY a.created_at DESC, a.id DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
WHERE EXISTS (SELECT FROM resource r WHERE r.scope = :project AND r.kind = 'alertConfig' AND r.id = :config)
ORDER BY p.created_at DESC, p.id DESC
