-- Tables that have rows of their own, and how each is read: plain tables and those that are partitions. Reading one runs nothing of the tenant's. Views, which do, are left out, and
-- so are partitioned tables, which have no rows, those at other servers, and those that come with an extension.
SELECT n.nspname AS schema, c.relname AS name, format('COPY %I.%I TO STDOUT (FORMAT csv, HEADER)', n.nspname, c.relname) AS statement
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY n.nspname, c.relname
