-- The statements of the database $1 that have cost most, and are no trifles.
SELECT s.queryid::text, max(s.query) AS query, sum(s.calls)::bigint::text AS calls, sum(s.total_exec_time)::text AS ms
FROM reeve_advisor.pg_stat_statements(true) s
JOIN pg_database d ON d.oid = s.dbid
JOIN pg_roles r ON r.oid = s.userid
WHERE d.datname = $1 AND s.queryid IS NOT NULL AND NOT r.rolsuper AND NOT starts_with(r.rolname, 'reeve_') AND octet_length(s.query) <= 65536
GROUP BY s.queryid
HAVING sum(s.calls) >= 5 AND sum(s.total_exec_time) >= 20
ORDER BY sum(s.total_exec_time) DESC
LIMIT 100
