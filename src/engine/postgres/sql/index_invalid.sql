-- A row when the index $2 of the schema $1 is there and was never finished.
SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND NOT i.indisvalid
