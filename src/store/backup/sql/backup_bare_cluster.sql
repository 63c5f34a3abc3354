-- A dedicated cluster of the project of which nothing is kept.
-- scope: project :project
SELECT r.name FROM resource r
WHERE r.scope = :project AND r.kind = 'cluster'
  AND NOT EXISTS (SELECT FROM backup_stanza t WHERE t.project_id = :project AND t.cluster_id = r.id AND t.state = 'OPEN')
ORDER BY r.id LIMIT 1
