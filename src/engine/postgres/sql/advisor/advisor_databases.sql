-- Databases of tenants.
SELECT datname::text FROM pg_database WHERE NOT datistemplate AND datallowconn AND datname <> 'postgres' ORDER BY 1 LIMIT 100
