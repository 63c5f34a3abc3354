-- How far the primary is, and by its own clock when: whatever was committed before the moment is below the position, so the clock comes first. And how far
-- the slot $1 has confirmed.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at_ms,
       pg_current_wal_flush_lsn()::text AS flushed,
       pg_walfile_name(pg_current_wal_flush_lsn()) AS file,
       slot.restart_lsn::text AS confirmed,
       COALESCE(slot.active, false) AS is_active,
       COALESCE(slot.wal_status = 'lost', false) AS is_lost,
       current_setting('server_version') AS version,
       (SELECT setting FROM pg_settings WHERE name = 'wal_segment_size') AS segment_bytes
FROM (VALUES (true)) AS one LEFT JOIN pg_replication_slots slot ON slot.slot_name = $1
