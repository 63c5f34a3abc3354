-- Nothing of planning is left in a database of a tenant. Should somebody have come to depend on it, it stays.
DO $$
DECLARE
    one record;
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM reeve_planner', current_database());
    FOR one IN SELECT DISTINCT n.nspname FROM pg_namespace n, aclexplode(n.nspacl) a WHERE a.grantee = 'reeve_planner'::regrole LOOP
        EXECUTE format('REVOKE ALL ON SCHEMA %I FROM reeve_planner', one.nspname);
    END LOOP;
    BEGIN
        DROP EXTENSION IF EXISTS hypopg;
        IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'reeve_advisor' AND nspowner = 10) THEN
            DROP SCHEMA reeve_advisor;
        END IF;
    EXCEPTION WHEN dependent_objects_still_exist THEN
        NULL;
    END;
END
$$
