-- All schedules of a project, locked for a change.
-- scope: project :project
SELECT encode(r.id, 'hex') AS id, r.name, r.document::text FROM resource r WHERE r.scope = :project AND r.kind = 'backupSchedule' ORDER BY r.id FOR UPDATE
