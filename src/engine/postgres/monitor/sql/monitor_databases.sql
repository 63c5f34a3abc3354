-- The $1 busiest databases, and how many sessions each has.
SELECT d.datname AS name, s.numbackends AS database_connections
FROM pg_stat_database AS s JOIN pg_database AS d ON d.oid = s.datid
WHERE d.datallowconn AND NOT d.datistemplate
ORDER BY s.xact_commit DESC, d.oid LIMIT $1::int
