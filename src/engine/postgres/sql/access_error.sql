-- What is wrong with the files that say who may connect; no row when nothing is.
SELECT 'pg_hba.conf, line ' || line_number || ': ' || error FROM pg_hba_file_rules WHERE error IS NOT NULL
UNION ALL SELECT 'pg_ident.conf, line ' || line_number || ': ' || error FROM pg_ident_file_mappings WHERE error IS NOT NULL
LIMIT 1
