-- Indexes of a database that nothing has read since counting began, and those that another one covers, as JSON. What keeps rows unique is left alone, whoever
-- reads it. Expressions are not told: there may be values in them.
WITH one AS (
    SELECT i.indexrelid, i.indrelid, n.nspname, t.relname AS table_name, x.relname AS name, i.indisunique, i.indnatts = i.indnkeyatts AS is_plain,
           i.indexprs IS NULL AND i.indpred IS NULL AND x.relam = 403 AS is_simple,
           i.indisunique OR i.indisreplident OR i.indisclustered OR EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid) AS is_needed,
           ARRAY(SELECT format('%s %s %s %s', i.indkey[k], i.indclass[k], i.indcollation[k], i.indoption[k]) FROM generate_series(0, i.indnkeyatts - 1) k ORDER BY k) AS keys,
           (SELECT json_agg(CASE WHEN i.indoption[k] & 1 = 1 THEN '-' ELSE '+' END || COALESCE(a.attname, '(expression)') ORDER BY k)
            FROM generate_series(0, i.indnkeyatts - 1) k LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] AND i.indkey[k] <> 0) AS columns,
           COALESCE(s.idx_scan, 0) AS scans, pg_relation_size(i.indexrelid) AS bytes,
           COALESCE(u.seq_scan, 0) + COALESCE(u.idx_scan, 0) + COALESCE(u.n_tup_ins, 0) + COALESCE(u.n_tup_upd, 0) + COALESCE(u.n_tup_del, 0) AS uses
    FROM pg_index i
    JOIN pg_class x ON x.oid = i.indexrelid AND x.relkind = 'i' AND NOT x.relispartition
    JOIN pg_class t ON t.oid = i.indrelid AND t.relpersistence <> 't'
    JOIN pg_namespace n ON n.oid = t.relnamespace
    LEFT JOIN pg_stat_all_indexes s ON s.indexrelid = i.indexrelid
    LEFT JOIN pg_stat_all_tables u ON u.relid = i.indrelid
    WHERE i.indisvalid AND NOT starts_with(n.nspname, 'pg_') AND n.nspname NOT IN ('information_schema', 'reeve_advisor')
), judged AS (
    SELECT a.*, NOT a.is_needed AND a.is_simple AND a.is_plain AND EXISTS (
               SELECT FROM one b WHERE b.indrelid = a.indrelid AND b.indexrelid <> a.indexrelid AND b.is_simple AND b.keys[1:cardinality(a.keys)] = a.keys
                 AND (cardinality(b.keys) > cardinality(a.keys) OR b.is_needed OR b.indexrelid < a.indexrelid)) AS is_redundant
    FROM one a
), told AS (
    SELECT j.is_redundant, json_build_object('schema', j.nspname, 'table', j.table_name, 'name', j.name, 'keys', j.columns, 'scans', j.scans, 'bytes', j.bytes,
                                             'isProven', j.uses >= 1000) AS document
    FROM judged j
    -- One that could take over from an index that is used is not called unused: both would go.
    WHERE j.is_redundant OR (j.scans = 0 AND NOT j.is_needed AND NOT EXISTS (
        SELECT FROM judged r WHERE r.is_redundant AND r.indrelid = j.indrelid AND r.indexrelid <> j.indexrelid AND j.is_simple AND j.keys[1:cardinality(r.keys)] = r.keys))
    ORDER BY j.is_redundant DESC, j.bytes DESC, j.indexrelid LIMIT 200
)
SELECT json_build_object('since', (SELECT (extract(epoch FROM COALESCE(stats_reset, pg_postmaster_start_time())) * 1000)::bigint FROM pg_stat_database WHERE datname = current_database()),
                         'redundant', COALESCE(json_agg(document) FILTER (WHERE is_redundant), '[]'),
                         'unused', COALESCE(json_agg(document) FILTER (WHERE NOT is_redundant), '[]'))::text
FROM told
