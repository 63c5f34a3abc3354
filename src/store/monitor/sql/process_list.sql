-- A page of a project's servers, oldest first.
-- scope: project :project
WITH found AS MATERIALIZED (
    SELECT p.member_id, p.key, p.document FROM project_processes(:project) p
    WHERE p.cluster_id IN (SELECT c.id FROM cluster c WHERE c.project_id = :project))
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM found) c
LEFT JOIN LATERAL (SELECT f.* FROM found f ORDER BY f.member_id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.member_id
