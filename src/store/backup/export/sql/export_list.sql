-- A page of a cluster's exports, newest first; no row without such a cluster.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM export_job x WHERE x.project_id = :project AND x.cluster_id = backup_cluster(:project, 'cluster', :name)) c
LEFT JOIN LATERAL (
    SELECT export_json(x) AS document, x.id, x.created_at FROM export_job x
    WHERE x.project_id = :project AND x.cluster_id = backup_cluster(:project, 'cluster', :name)
    ORDER BY x.created_at DESC, x.id DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
WHERE backup_cluster(:project, 'cluster', :name) IS NOT NULL
ORDER BY p.created_at DESC, p.id DESC
