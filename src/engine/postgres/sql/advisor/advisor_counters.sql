-- What statements of tenants have cost since the counters began, without their texts.
SELECT s.dbid::text, s.queryid::text, sum(s.calls)::bigint::text AS calls, sum(s.total_exec_time)::text AS ms, sum(s.rows)::bigint::text AS rows,
       (sum(s.shared_blks_read) * current_setting('block_size')::bigint)::bigint::text AS bytes, max(s.max_exec_time)::text AS worst
FROM reeve_advisor.pg_stat_statements(false) s
JOIN pg_database d ON d.oid = s.dbid
JOIN pg_roles r ON r.oid = s.userid
WHERE s.queryid IS NOT NULL AND d.datname <> 'postgres' AND NOT d.datistemplate AND NOT r.rolsuper AND NOT starts_with(r.rolname, 'reeve_')
GROUP BY s.dbid, s.queryid
LIMIT 10000
