-- The newest migration that the database has.
-- scope: none, because the schema belongs to nobody
SELECT coalesce(max(version), 0) AS version FROM schema_migration
