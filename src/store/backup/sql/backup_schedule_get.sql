-- The schedule of a cluster; no row without such a cluster, nulls when it has no backups.
-- scope: project :project
SELECT s.document::text, s.revision
FROM resource c LEFT JOIN resource s ON s.scope = :project AND s.kind = 'backupSchedule' AND s.name = encode(c.id, 'hex')
WHERE c.scope = :project AND c.kind = :kind AND c.name = :name
