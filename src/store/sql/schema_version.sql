-- The newest migration that the database has.
-- scope: none, because the schema belongs to nobody
SELECT coalesce(max(version), 0) FROM schema_migration
