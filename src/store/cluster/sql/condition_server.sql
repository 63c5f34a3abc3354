-- How the server of the control database is: its clock, its version, and settings that lose what was acknowledged.
-- scope: none, because it is about the server
SELECT json_build_object(
    'nowMs', (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    'versionNumber', current_setting('server_version_num')::int,
    'isStandby', pg_is_in_recovery(),
    'standbys', (SELECT count(*) FROM pg_stat_replication),
    'off', (SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM pg_settings
            WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'),
    'freeConnections', current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                       - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'))::text AS json
