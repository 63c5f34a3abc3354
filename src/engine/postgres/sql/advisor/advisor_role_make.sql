-- The role that tenants' statements are planned as. Planning runs IMMUTABLE functions of tenants, so it has no right that not everybody has: it is in no group,
-- owns nothing and has no password. Whatever a tenant gave a role of that name goes. What it does is in no log: its statements are not the tenants'.
DO $$
DECLARE
    link record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_planner') THEN
        CREATE ROLE reeve_planner;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_authid a JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0
                   WHERE a.rolname = 'reeve_planner' AND a.rolcanlogin AND NOT a.rolinherit AND NOT a.rolreplication AND NOT a.rolsuper AND NOT a.rolcreaterole
                     AND NOT a.rolcreatedb AND NOT a.rolbypassrls AND a.rolpassword IS NULL AND COALESCE(a.rolvaliduntil, 'infinity') = 'infinity' AND a.rolconnlimit = 4
                     AND s.setconfig @> ARRAY['log_min_messages=fatal', 'pg_stat_statements.track=none', 'temp_file_limit=10240']) THEN
        ALTER ROLE reeve_planner LOGIN NOINHERIT NOREPLICATION NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS PASSWORD NULL VALID UNTIL 'infinity' CONNECTION LIMIT 4;
        ALTER ROLE reeve_planner RESET ALL;
        ALTER ROLE reeve_planner SET log_statement = 'none';
        ALTER ROLE reeve_planner SET log_min_duration_statement = -1;
        ALTER ROLE reeve_planner SET log_min_error_statement = 'panic';
        ALTER ROLE reeve_planner SET log_min_messages = 'fatal';
        ALTER ROLE reeve_planner SET temp_file_limit = 10240;
        ALTER ROLE reeve_planner SET pgaudit.log = 'none';
        ALTER ROLE reeve_planner SET pg_stat_statements.track = 'none';
    END IF;
    FOR link IN SELECT roleid::regrole AS role, member::regrole AS member, grantor::regrole AS grantor FROM pg_auth_members
                WHERE 'reeve_planner'::regrole IN (roleid, member) LOOP
        EXECUTE format('REVOKE %s FROM %s GRANTED BY %s CASCADE', link.role, link.member, link.grantor);
    END LOOP;
END
$$
