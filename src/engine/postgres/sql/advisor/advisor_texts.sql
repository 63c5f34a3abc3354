-- Texts of the statements $1 (a JSON list of numbers as texts), each with its database.
SELECT DISTINCT ON (s.dbid, s.queryid) s.dbid::text, s.queryid::text, d.datname::text, s.query
FROM reeve_advisor.pg_stat_statements(true) s
JOIN pg_database d ON d.oid = s.dbid
JOIN pg_roles r ON r.oid = s.userid
WHERE s.queryid IN (SELECT t::bigint FROM json_array_elements_text($1::json) t)
  AND d.datname <> 'postgres' AND NOT d.datistemplate AND NOT r.rolsuper AND NOT starts_with(r.rolname, 'reeve_')
  AND octet_length(s.query) <= 65536
ORDER BY s.dbid, s.queryid
