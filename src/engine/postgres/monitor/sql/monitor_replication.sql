-- How far a replica is behind, by time and by WAL; nothing of that on a primary. One that streams and has replayed everything is not behind, however long
-- ago the last transaction was; one without a stream may be, and cannot know it. And the WAL that the slowest replication slot keeps here.
SELECT CASE WHEN NOT one.is_replica THEN NULL
            WHEN receiver.status = 'streaming' AND receiver.latest_end_lsn <= pg_last_wal_replay_lsn() THEN 0
            ELSE round(GREATEST(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0), 3) END AS replication_lag,
       CASE WHEN one.is_replica
            THEN GREATEST(pg_wal_lsn_diff(GREATEST(receiver.latest_end_lsn, pg_last_wal_receive_lsn()), pg_last_wal_replay_lsn()), 0) END
           AS replication_lag_bytes,
       (SELECT GREATEST(max(pg_wal_lsn_diff(CASE WHEN one.is_replica THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn)), 0)
        FROM pg_replication_slots) AS replication_slot_retained_bytes
FROM (SELECT pg_is_in_recovery()) AS one (is_replica) LEFT JOIN pg_stat_wal_receiver AS receiver ON true
