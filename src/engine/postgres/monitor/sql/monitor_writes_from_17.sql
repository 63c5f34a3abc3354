-- Checkpoints, WAL and its archive.
SELECT c.num_timed + c.num_requested AS checkpoints,
       c.write_time AS checkpoint_write_time,
       w.wal_bytes AS log_bytes_written,
       a.failed_count AS archive_failures,
       round(GREATEST(extract(epoch FROM clock_timestamp() - a.last_archived_time), 0), 3) AS archive_age
FROM pg_stat_checkpointer AS c, pg_stat_wal AS w, pg_stat_archiver AS a
