-- What these tables are called: $1 has numbers of tables, or schemas and tables, as JSON: [16385, ["public", "orders"]].
SELECT c.oid AS relid, n.nspname AS schema, c.relname AS table
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid >= 16384 AND c.relkind IN ('r', 'm') AND c.relpersistence <> 't'
  AND (c.oid IN (SELECT j.value::text::oid FROM json_array_elements($1::json) j WHERE json_typeof(j.value) = 'number')
       OR (n.nspname, c.relname) IN (SELECT (j.value ->> 0)::name, (j.value ->> 1)::name FROM json_array_elements($1::json) j WHERE json_typeof(j.value) = 'array'))
