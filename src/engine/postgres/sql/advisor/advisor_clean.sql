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
        -- One that somebody else had before is theirs.
        IF EXISTS (SELECT FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'hypopg' AND n.nspname = 'reeve_advisor' AND n.nspowner = 10) THEN
            DROP EXTENSION hypopg;
        END IF;
        IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'reeve_advisor' AND nspowner = 10) THEN
            DROP SCHEMA reeve_advisor;
        END IF;
    EXCEPTION WHEN dependent_objects_still_exist THEN
        NULL;
    END;
END
$$
