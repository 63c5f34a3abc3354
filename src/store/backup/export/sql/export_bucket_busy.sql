-- Whether an export into a bucket is under way or waits for its turn.
-- scope: project :project
SELECT EXISTS (SELECT FROM export_job x WHERE x.project_id = :project AND x.bucket_id = :bucket AND x.finished_at IS NULL) AS is_busy
