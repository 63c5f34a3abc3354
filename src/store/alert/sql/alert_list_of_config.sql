-- A page of the alerts of one configuration that are not closed, newest first; no row when the project has no such configuration.
-- scope: project $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM alert WHERE project_id = $1 AND config_id = $4 AND status <> 'CLOSED') c
LEFT JOIN LATERAL (
    SELECT alert_json(a) AS document, a.id, a.created_at FROM alert a
    WHERE a.project_id = $1 AND a.config_id = $4 AND a.status <> 'CLOSED'
    ORDER BY a.created_at DESC, a.id DESC OFFSET $2::bigint LIMIT $3::bigint) p ON true
WHERE EXISTS (SELECT FROM resource r WHERE r.scope = $1 AND r.kind = 'alertConfig' AND r.id = $4)
ORDER BY p.created_at DESC, p.id DESC
