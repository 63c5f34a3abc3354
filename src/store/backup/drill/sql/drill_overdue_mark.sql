-- Notes whether a stanza's backups are proven in time; nothing when that is noted already.
-- scope: project :project
UPDATE backup_stanza SET drill_overdue = :is_overdue::boolean WHERE project_id = :project AND id = :stanza AND drill_overdue <> :is_overdue::boolean
RETURNING encode(id, 'hex') AS stanza
