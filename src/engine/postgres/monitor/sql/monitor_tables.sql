-- The $1 busiest tables of this database.
SELECT current_database() || '.' || schemaname || '.' || relname AS name,
       seq_scan + COALESCE(idx_scan, 0) AS reads_ops,
       n_tup_ins + n_tup_upd + n_tup_del AS writes_ops,
       seq_scan + COALESCE(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del AS total_ops
FROM pg_stat_user_tables
ORDER BY total_ops DESC, relid LIMIT $1::int
