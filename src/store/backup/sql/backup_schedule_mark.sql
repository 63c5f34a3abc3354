-- Notes of a schedule whether its snapshots are late; nothing when that is noted already.
-- scope: project :project
UPDATE resource SET state = :state WHERE scope = :project AND kind = 'backupSchedule' AND name = :name AND state <> :state
