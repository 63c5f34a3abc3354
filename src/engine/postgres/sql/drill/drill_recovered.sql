-- What came back: when the last transaction was committed that was replayed, how large everything is, and which server it is.
SELECT (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000)::bigint AS recovered_ms,
       (SELECT sum(pg_database_size(oid)) FROM pg_database)::bigint AS bytes,
       current_setting('server_version') AS version, pg_is_in_recovery() AS is_recovering
