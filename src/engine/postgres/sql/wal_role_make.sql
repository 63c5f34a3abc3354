-- The role that repository hosts receive WAL as. A tenant that may create roles could have made one of that name before: whatever it was given, and whoever
-- may act as it, goes. Its question of every second is not what tenants have recorded.
DO $$
DECLARE
    link record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_wal') THEN
        CREATE ROLE reeve_wal;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_authid WHERE rolname = 'reeve_wal' AND rolcanlogin AND rolreplication AND NOT rolsuper AND NOT rolcreaterole
                   AND NOT rolcreatedb AND NOT rolbypassrls AND rolpassword IS NULL AND COALESCE(rolvaliduntil, 'infinity') = 'infinity' AND rolconnlimit = -1) THEN
        ALTER ROLE reeve_wal LOGIN REPLICATION NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS PASSWORD NULL VALID UNTIL 'infinity' CONNECTION LIMIT -1;
        ALTER ROLE reeve_wal RESET ALL;
        ALTER ROLE reeve_wal SET log_statement = 'none';
        ALTER ROLE reeve_wal SET log_min_duration_statement = -1;
        ALTER ROLE reeve_wal SET pgaudit.log = 'none';
    END IF;
    FOR link IN SELECT roleid::regrole AS role, member::regrole AS member, grantor::regrole AS grantor FROM pg_auth_members
                WHERE 'reeve_wal'::regrole IN (roleid, member) LOOP
        EXECUTE format('REVOKE %s FROM %s GRANTED BY %s CASCADE', link.role, link.member, link.grantor);
    END LOOP;
END
$$
