-- Whether the library counts statements, and whether what reads them is there.
SELECT 'pg_stat_statements' = ANY (string_to_array(replace(current_setting('shared_preload_libraries'), ' ', ''), ',')) AS is_loaded,
       EXISTS (SELECT FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements' AND n.nspname = 'reeve_advisor') AS is_made,
       pg_is_in_recovery() AS is_replica
