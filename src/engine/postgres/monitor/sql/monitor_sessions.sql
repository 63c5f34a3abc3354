-- Sessions of clients, without this one. Columns are named like metrics, here and in the other statements about measurements.
SELECT count(*) AS connections,
       current_setting('max_connections')::int AS connections_max,
       round(100.0 * count(*) / current_setting('max_connections')::int, 2) AS connections_percent,
       count(*) FILTER (WHERE state = 'active') AS sessions_active,
       count(*) FILTER (WHERE state LIKE 'idle in transaction%') AS sessions_idle_in_transaction,
       count(*) FILTER (WHERE wait_event_type = 'Lock') AS locks_waiting,
       count(*) FILTER (WHERE wait_event_type = 'IO') AS sessions_waiting_io,
       round(COALESCE(max(extract(epoch FROM clock_timestamp() - xact_start)), 0), 3) AS longest_transaction,
       round(COALESCE(max(extract(epoch FROM clock_timestamp() - query_start)) FILTER (WHERE state = 'active'), 0), 3) AS longest_query
FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
