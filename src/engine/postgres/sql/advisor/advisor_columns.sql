-- Which of the words $1 (a JSON list) are tables, and which of the words $2 are columns of these; and how the indexes begin that each table has. Small tables are
-- read as a whole whatever indexes they have.
SELECT n.nspname::text, c.relname::text, a.attname::text,
       (SELECT COALESCE(string_agg((SELECT string_agg(k.attname, ',' ORDER BY p.place) || ','
                                    FROM unnest(i.indkey::int2[]) WITH ORDINALITY p(number, place) JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = p.number
                                    WHERE p.place <= i.indnkeyatts), ';'), '')
        FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
        WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL AND x.relam = 403) AS existing,
       GREATEST(c.reltuples, 0)::bigint::text AS rows,
       (CASE WHEN c.reltuples > 0 THEN (c.relpages::bigint * current_setting('block_size')::bigint / c.reltuples)::bigint ELSE 0 END)::text AS row_bytes
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND NOT c.relispartition AND c.relpages >= 50
  AND NOT starts_with(n.nspname, 'pg_') AND n.nspname NOT IN ('information_schema', 'reeve_advisor')
  AND c.relname IN (SELECT json_array_elements_text($1::json)) AND a.attname IN (SELECT json_array_elements_text($2::json))
  AND has_schema_privilege('reeve_planner', n.oid, 'USAGE')
ORDER BY 1, 2, a.attnum
LIMIT 32
