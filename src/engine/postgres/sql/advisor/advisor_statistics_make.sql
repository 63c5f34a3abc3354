-- Where statistics of statements are read: in the database that tenants can create nothing in, and in a schema that only the superuser uses.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_stat_statements') THEN
        CREATE SCHEMA IF NOT EXISTS reeve_advisor;
        IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'reeve_advisor' AND nspowner <> 10) THEN
            RAISE EXCEPTION 'the schema reeve_advisor belongs to somebody else';
        END IF;
        CREATE EXTENSION pg_stat_statements SCHEMA reeve_advisor;
    END IF;
END
$$
