-- What the tables of this database have counted: scans, and rows that were inserted, updated or deleted, also by transactions that rolled back. The $1
-- with the most first; none that never did anything, and no temporary ones. Asks the catalog, because pg_stat_user_tables takes half as long again.
SELECT t.oid AS relid, t.reads, t.writes
FROM (SELECT c.oid, pg_stat_get_numscans(c.oid) + COALESCE(i.scans, 0) AS reads,
             pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid) AS writes
      FROM pg_class c
      LEFT JOIN (SELECT indrelid, sum(pg_stat_get_numscans(indexrelid))::bigint AS scans FROM pg_index WHERE indrelid >= 16384 GROUP BY indrelid) i ON i.indrelid = c.oid
      WHERE c.oid >= 16384 AND c.relkind IN ('r', 'm') AND c.relpersistence <> 't'
      OFFSET 0) t -- once for each table: the sums are used twice
WHERE t.reads + t.writes > 0
ORDER BY t.reads + t.writes DESC, t.oid LIMIT $1::int
