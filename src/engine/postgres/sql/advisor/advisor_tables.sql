-- What is wrong with tables of a database, as JSON. Catalogs only: names, numbers and nothing that is in the tables.
WITH mine AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples, CASE WHEN n.nspname = 'public' THEN c.relname::text ELSE n.nspname || '.' || c.relname END AS shown
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND NOT c.relispartition AND NOT starts_with(n.nspname, 'pg_')
      AND n.nspname NOT IN ('information_schema', 'reeve_advisor')
), sequences AS (
    SELECT m.shown, a.attname, s.relname, pg_sequence_last_value(q.seqrelid) AS last,
           LEAST(q.seqmax, CASE a.atttypid WHEN 'int2'::regtype THEN 32767 WHEN 'int4'::regtype THEN 2147483647 ELSE q.seqmax END) AS most
    FROM pg_sequence q
    JOIN pg_class s ON s.oid = q.seqrelid
    JOIN pg_depend d ON d.objid = q.seqrelid AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN mine m ON m.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
    WHERE q.seqincrement > 0 AND NOT q.seqcycle
), found AS (
    SELECT 'NO_PRIMARY_KEY' AS trigger, m.shown, 'The table has no primary key: a row cannot be told from its twin, and logical replication cannot change it.' AS description
    FROM mine m WHERE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = m.oid AND i.indisprimary)
    UNION ALL
    SELECT 'SEQUENCE_NEAR_END', q.shown, format('The column %s has used %s%% of the numbers that it can hold: %s of %s.', quote_ident(q.attname), q.last * 100 / q.most, q.last, q.most)
    FROM sequences q WHERE q.last >= q.most / 4 * 3
    UNION ALL
    SELECT 'FOREIGN_KEY_WITHOUT_INDEX', m.shown,
           format('Nothing leads from the columns of %s to their rows: each change of a key in %s reads the whole table.', quote_ident(k.conname), k.confrelid::regclass)
    FROM pg_constraint k JOIN mine m ON m.oid = k.conrelid
    WHERE k.contype = 'f' AND m.reltuples >= 1000
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indpred IS NULL
                      AND k.conkey @> (i.indkey::int2[])[0:cardinality(k.conkey) - 1] AND k.conkey <@ (i.indkey::int2[])[0:cardinality(k.conkey) - 1])
    UNION ALL
    SELECT 'NUM_INDEXES', m.shown, format('The table has %s indexes: each write changes all of them.', count(*))
    FROM mine m JOIN pg_index i ON i.indrelid = m.oid GROUP BY m.oid, m.shown HAVING count(*) > 10
    UNION ALL
    SELECT 'DOC_SIZE_TOO_LARGE', m.shown, format('A row has %s kB on average.', (pg_table_size(m.oid) / m.reltuples / 1024)::bigint)
    FROM mine m WHERE m.relkind = 'r' AND m.reltuples >= 100 AND pg_table_size(m.oid) / m.reltuples > 65536
    UNION ALL
    SELECT 'NUMBER_OF_NAMESPACES', NULL, format('The database has %s tables.', count(*)) FROM mine HAVING count(*) > 10000
)
SELECT COALESCE(json_agg(json_build_object('trigger', f.trigger, 'table', f.shown, 'description', f.description)), '[]')::text
FROM (SELECT * FROM found ORDER BY trigger, shown LIMIT 200) f
