-- Notes that an event says how a drill ended; nothing when one did before.
-- scope: project :project
UPDATE drill SET told_at = now() WHERE project_id = :project AND id = :drill AND told_at IS NULL RETURNING encode(id, 'hex') AS drill
