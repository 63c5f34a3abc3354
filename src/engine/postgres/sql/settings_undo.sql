-- Whatever else was set for the database goes back to what PostgreSQL is built with.
SELECT set_config(name, boot_val, false) FROM pg_settings
WHERE source IN ('database', 'user', 'database user') AND context = 'user' AND boot_val IS NOT NULL
