-- What all databases counted together, when the server started, and how old the oldest transaction is that is not frozen. A database that is dropped takes
-- its counts with it.
SELECT pg_postmaster_start_time()::text AS started,
       sum(xact_commit) AS transactions_committed,
       sum(xact_rollback) AS transactions_rolled_back,
       sum(tup_returned) AS opcounter_query,
       sum(tup_inserted) AS opcounter_insert,
       sum(tup_updated) AS opcounter_update,
       sum(tup_deleted) AS opcounter_delete,
       sum(blks_read) * current_setting('block_size')::int AS cache_bytes_read_into,
       sum(temp_bytes) AS temporary_file_bytes,
       sum(deadlocks) AS deadlocks,
       sum(blks_hit) * current_setting('block_size')::int AS cache_bytes_hit,
       (SELECT max(age(datfrozenxid)) FROM pg_database) AS transaction_id_age
FROM pg_stat_database
