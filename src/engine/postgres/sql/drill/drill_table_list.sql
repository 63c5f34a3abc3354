-- How the rows of each table are counted: one statement a table. A partitioned table has none of its own.
SELECT format('SELECT count(*) FROM ONLY %I.%I', n.nspname, c.relname) AS statement
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
ORDER BY n.nspname, c.relname
