-- A page of a cluster's drills, newest first; no row without such a cluster.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM drill d WHERE d.project_id = :project AND d.cluster_id = backup_cluster(:project, 'cluster', :name)) c
LEFT JOIN LATERAL (
    SELECT drill_json(d) AS document, d.id, d.requested_at FROM drill d
    WHERE d.project_id = :project AND d.cluster_id = backup_cluster(:project, 'cluster', :name)
    ORDER BY d.requested_at DESC, d.id DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
WHERE backup_cluster(:project, 'cluster', :name) IS NOT NULL
ORDER BY p.requested_at DESC, p.id DESC
