-- What tenants made in this database, and how large it is. Looks at every file of it.
SELECT COALESCE(sum(pg_relation_size(oid)) FILTER (WHERE relkind IN ('r', 'm', 't')), 0) AS database_data_size,
       COALESCE(sum(pg_relation_size(oid)) FILTER (WHERE relkind = 'i'), 0) AS database_index_size,
       count(*) FILTER (WHERE relkind IN ('r', 'p')) AS database_collection_count,
       count(*) FILTER (WHERE relkind IN ('i', 'I') AND relnamespace <> 'pg_toast'::regnamespace) AS database_index_count,
       count(*) FILTER (WHERE relkind IN ('v', 'm')) AS database_view_count,
       round(COALESCE(sum(reltuples) FILTER (WHERE relkind IN ('r', 'm') AND reltuples > 0), 0)::numeric) AS database_object_count
FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't'
