-- Notes that it was told how an export ended; nothing when it was told before.
-- scope: project :project
UPDATE export_job SET told_at = now() WHERE project_id = :project AND id = :export AND finished_at IS NOT NULL AND told_at IS NULL RETURNING encode(id, 'hex') AS export
