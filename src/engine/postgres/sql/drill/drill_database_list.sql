-- Databases that can be connected to, and whether the operating system sorts there as it did where they were written.
SELECT datname AS name,
       COALESCE(datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid), false) AS sorts_differently
FROM pg_database WHERE datallowconn ORDER BY datname
