-- Everything of the database on disk. Looks at every file of it.
SELECT pg_database_size(current_database()) AS database_storage_size
