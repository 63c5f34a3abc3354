-- What planning in a database needs, for as long as it takes: hypopg, and that the planner's role finds the tables. It may still not read them. A schema that is
-- closed and has functions that run as their owner stays closed: they would be more than the role has.
DO $$
DECLARE
    one record;
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'reeve_advisor' AND nspowner <> 10) THEN
        RAISE EXCEPTION 'the schema reeve_advisor belongs to somebody else';
    END IF;
    CREATE SCHEMA IF NOT EXISTS reeve_advisor;
    CREATE EXTENSION IF NOT EXISTS hypopg SCHEMA reeve_advisor;
    GRANT USAGE ON SCHEMA reeve_advisor TO reeve_planner;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO reeve_planner', current_database());
    FOR one IN SELECT n.nspname FROM pg_namespace n
               WHERE NOT starts_with(n.nspname, 'pg_') AND n.nspname NOT IN ('information_schema', 'reeve_advisor')
                 AND NOT has_schema_privilege('reeve_planner', n.oid, 'USAGE')
                 AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = n.oid AND p.prosecdef) LIMIT 100 LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO reeve_planner', one.nspname);
    END LOOP;
END
$$
