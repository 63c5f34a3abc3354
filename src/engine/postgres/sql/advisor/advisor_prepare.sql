-- What planning in a database needs, for as long as it takes: hypopg, and that the planner's role finds the tables. It may still not read them. A schema that is
-- closed to everybody stays closed when there is anything in it that everybody could use if they came in: functions that run as their owner or in C, and tables.
-- The role would have more than whoever wrote what it plans.
DO $$
DECLARE
    one record;
BEGIN
    CREATE SCHEMA IF NOT EXISTS reeve_advisor;
    -- Only now: somebody could have made it in between, and what is installed there would be theirs.
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'reeve_advisor' AND nspowner <> 10) THEN
        RAISE EXCEPTION 'the schema reeve_advisor belongs to somebody else';
    END IF;
    CREATE EXTENSION IF NOT EXISTS hypopg SCHEMA reeve_advisor;
    GRANT USAGE ON SCHEMA reeve_advisor TO reeve_planner;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO reeve_planner', current_database());
    FOR one IN SELECT n.nspname FROM pg_namespace n
               WHERE NOT starts_with(n.nspname, 'pg_') AND n.nspname NOT IN ('information_schema', 'reeve_advisor')
                 AND NOT has_schema_privilege('reeve_planner', n.oid, 'USAGE')
                 AND NOT EXISTS (SELECT FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
                                 WHERE p.pronamespace = n.oid AND (p.prosecdef OR l.lanname NOT IN ('sql', 'plpgsql')))
                 AND NOT EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) a WHERE c.relnamespace = n.oid AND a.grantee = 0)
                 AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
                                 WHERE c.relnamespace = n.oid AND a.grantee = 0) LIMIT 100 LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO reeve_planner', one.nspname);
    END LOOP;
END
$$
