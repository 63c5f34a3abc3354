-- Whether an export into a bucket is under way or waits for its turn, or a schedule exports to it.
-- scope: project :project
SELECT EXISTS (SELECT FROM export_job x WHERE x.project_id = :project AND x.bucket_id = :bucket AND x.finished_at IS NULL)
    OR EXISTS (SELECT FROM resource r WHERE r.scope = :project AND r.kind = 'backupSchedule' AND r.document -> 'autoExportEnabled' = 'true'
                 AND r.document -> 'export' ->> 'exportBucketId' = encode(:bucket, 'hex')) AS is_busy
