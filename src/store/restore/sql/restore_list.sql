-- A page of the restores from a cluster's backups, newest first, in a form of restore_json(); no row without such a cluster. Only one of them with :batch.
-- scope: project :project
WITH chosen AS MATERIALIZED (
    SELECT r.id, r.created_at FROM restore_job r
    WHERE r.project_id = :project AND r.cluster_id = backup_cluster(:project, :kind, :name) AND (:batch::bytea IS NULL OR r.id = :batch))
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM chosen) c
LEFT JOIN LATERAL (
    SELECT restore_json(r, :form::text) AS document, r.id, r.created_at FROM restore_job r
    WHERE r.project_id = :project AND r.id IN (SELECT id FROM chosen)
    ORDER BY r.created_at DESC, r.id DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
WHERE backup_cluster(:project, :kind, :name) IS NOT NULL
ORDER BY p.created_at DESC, p.id DESC
