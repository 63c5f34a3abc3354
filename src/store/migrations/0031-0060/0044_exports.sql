-- Exports by the schedule of a cluster, and in another form (docs/internals/exports.md).

ALTER TABLE export_job ADD COLUMN origin text NOT NULL DEFAULT 'ON_DEMAND' CHECK (origin IN ('ON_DEMAND', 'SCHEDULED'));
ALTER TABLE export_job ADD COLUMN format text NOT NULL DEFAULT 'DUMP' CHECK (format IN ('DUMP', 'CSV'));
-- A snapshot is exported by its schedule once, however many workers look for those that are due.
CREATE UNIQUE INDEX export_job_of_schedule ON export_job (snapshot_id) WHERE origin = 'SCHEDULED';
-- Of those that somebody asks for a history has one at a time. One that is due has its place in the queue at once, so that its snapshot stays.
DROP INDEX export_job_open;
CREATE UNIQUE INDEX export_job_open ON export_job (stanza_id) WHERE finished_at IS NULL AND origin = 'ON_DEMAND';
CREATE INDEX resource_exports ON resource ((document -> 'export' ->> 'exportBucketId'))
    WHERE kind = 'backupSchedule' AND document -> 'autoExportEnabled' = 'true';
