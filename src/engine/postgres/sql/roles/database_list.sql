-- Databases that can be connected to, without templates.
SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1
