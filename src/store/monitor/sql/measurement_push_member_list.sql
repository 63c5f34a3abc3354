-- The servers of a project with how far sending came, those that wait longest first; what tags say about them.
-- scope: project :project
SELECT encode(p.member_id, 'hex') AS member, c.name AS cluster, p.document::json ->> 'hostname' AS hostname, l.sent_ms, l.seen_ms,
       (SELECT (r.document -> 'tags')::text FROM resource r WHERE r.scope = :project AND r.kind IN ('cluster', 'flexCluster') AND r.name = c.name LIMIT 1) AS tags
FROM project_processes(:project) p
JOIN cluster c ON c.id = p.cluster_id AND c.project_id = :project
LEFT JOIN measurement_push_place l ON l.integration_id = :integration AND l.member_id = p.member_id
ORDER BY l.sent_ms NULLS FIRST, p.member_id
