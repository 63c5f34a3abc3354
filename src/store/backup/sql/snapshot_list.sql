-- A page of a cluster's snapshots, newest first, in a form of snapshot_json(); no row without such a cluster. Only those from which the moment
-- :moment_s can be restored, and only those that are complete, or are not; NULL: all.
-- scope: project :project
WITH chosen AS MATERIALIZED (
    SELECT s.id, s.created_at FROM snapshot s
    WHERE s.project_id = :project AND s.cluster_id = backup_cluster(:project, :kind, :name) AND s.hidden_at IS NULL
      AND (:moment_s::bigint IS NULL OR snapshot_reaches(s.id, to_timestamp(:moment_s::bigint)))
      AND (:is_complete::boolean IS NULL OR (s.state = 'COMPLETED') = :is_complete::boolean))
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM chosen) c
LEFT JOIN LATERAL (
    SELECT snapshot_json(s, :form::text) AS document, s.id, s.created_at FROM snapshot s
    WHERE s.project_id = :project AND s.id IN (SELECT id FROM chosen)
    ORDER BY s.created_at DESC, s.id DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
WHERE backup_cluster(:project, :kind, :name) IS NOT NULL
ORDER BY p.created_at DESC, p.id DESC
