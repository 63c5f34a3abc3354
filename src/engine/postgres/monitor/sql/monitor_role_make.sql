-- The role that the agent measures as. It sees statistics of everybody and may do nothing else. A tenant that may create roles could have made one of that
-- name before: whatever it was given, and whoever may act as it, goes. Its questions are not what tenants have recorded. It may look into every database.
DO $$
DECLARE
    link record;
    place record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_monitor') THEN
        CREATE ROLE reeve_monitor;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_authid WHERE rolname = 'reeve_monitor' AND rolcanlogin AND rolinherit AND NOT rolsuper AND NOT rolcreaterole AND NOT rolcreatedb
                   AND NOT rolreplication AND NOT rolbypassrls AND rolpassword IS NULL AND COALESCE(rolvaliduntil, 'infinity') = 'infinity'
                   AND rolconnlimit = -1)
       OR NOT EXISTS (SELECT FROM pg_db_role_setting WHERE setrole = 'reeve_monitor'::regrole AND setdatabase = 0 AND 'pgaudit.log=none' = ANY (setconfig)) THEN
        ALTER ROLE reeve_monitor LOGIN INHERIT NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS PASSWORD NULL VALID UNTIL 'infinity'
            CONNECTION LIMIT -1;
        ALTER ROLE reeve_monitor RESET ALL;
        ALTER ROLE reeve_monitor SET log_statement = 'none';
        ALTER ROLE reeve_monitor SET log_min_duration_statement = -1;
        ALTER ROLE reeve_monitor SET log_min_error_statement = 'panic';
        ALTER ROLE reeve_monitor SET pgaudit.log = 'none';
    END IF;
    FOR link IN SELECT roleid::regrole AS role, member::regrole AS member, grantor::regrole AS grantor FROM pg_auth_members
                WHERE 'reeve_monitor'::regrole IN (roleid, member) AND roleid <> 'pg_monitor'::regrole LOOP
        EXECUTE format('REVOKE %s FROM %s GRANTED BY %s CASCADE', link.role, link.member, link.grantor);
    END LOOP;
    IF NOT pg_has_role('reeve_monitor', 'pg_monitor', 'USAGE') THEN
        GRANT pg_monitor TO reeve_monitor;
    END IF;
    FOR place IN SELECT datname FROM pg_database
                 WHERE datallowconn AND NOT datistemplate AND NOT has_database_privilege('reeve_monitor', oid, 'CONNECT') LOOP
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO reeve_monitor', place.datname);
    END LOOP;
END
$$
