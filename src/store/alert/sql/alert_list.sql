-- A page of a project's alerts, newest first; all, or those of one status.
-- scope: project $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM alert WHERE project_id = $1 AND ($4::text IS NULL OR status = $4)) c
LEFT JOIN LATERAL (
    SELECT alert_json(a) AS document, a.id, a.created_at FROM alert a
    WHERE a.project_id = $1 AND ($4::text IS NULL OR a.status = $4)
    ORDER BY a.created_at DESC, a.id DESC OFFSET $2::bigint LIMIT $3::bigint) p ON true
ORDER BY p.created_at DESC, p.id DESC
