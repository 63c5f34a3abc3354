-- The role that the pooler asks for verifiers as, and the function that answers it. The role owns nothing, is in no group and has no password; whatever a tenant
-- gave a role of that name goes. The function tells of those who may log in with a password over the network, and not on a standby: nobody comes in through the
-- pooler of a member that is no primary any more. Everything in it is written with its schema: whoever asks has no say in what a name means.
DO $$
DECLARE
    link record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_pooler') THEN
        CREATE ROLE reeve_pooler;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_authid a JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0
                   WHERE a.rolname = 'reeve_pooler' AND a.rolcanlogin AND NOT a.rolinherit AND NOT a.rolreplication AND NOT a.rolsuper AND NOT a.rolcreaterole
                     AND NOT a.rolcreatedb AND NOT a.rolbypassrls AND a.rolpassword IS NULL AND COALESCE(a.rolvaliduntil, 'infinity') = 'infinity'
                     AND a.rolconnlimit = -1 AND s.setconfig @> ARRAY['pgaudit.log=none', 'log_min_error_statement=panic']) THEN
        ALTER ROLE reeve_pooler LOGIN NOINHERIT NOREPLICATION NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS PASSWORD NULL VALID UNTIL 'infinity' CONNECTION LIMIT -1;
        ALTER ROLE reeve_pooler RESET ALL;
        ALTER ROLE reeve_pooler SET log_statement = 'none';
        ALTER ROLE reeve_pooler SET log_min_duration_statement = -1;
        ALTER ROLE reeve_pooler SET log_min_error_statement = 'panic';
        ALTER ROLE reeve_pooler SET pgaudit.log = 'none';
        ALTER ROLE reeve_pooler SET pg_stat_statements.track = 'none';
    END IF;
    FOR link IN SELECT roleid::regrole AS role, member::regrole AS member, grantor::regrole AS grantor FROM pg_auth_members
                WHERE 'reeve_pooler'::regrole IN (roleid, member) LOOP
        EXECUTE format('REVOKE %s FROM %s GRANTED BY %s CASCADE', link.role, link.member, link.grantor);
    END LOOP;
    -- Another text of the function gets another number.
    IF NOT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
                   WHERE p.oid = to_regprocedure('reeve_pooler.login(text)') AND n.nspowner = 'postgres'::regrole AND p.proowner = 'postgres'::regrole
                     AND obj_description(p.oid, 'pg_proc') = 'Reeve 1' AND has_function_privilege('reeve_pooler', p.oid, 'EXECUTE')
                     AND has_schema_privilege('reeve_pooler', n.oid, 'USAGE')) THEN
        DROP SCHEMA IF EXISTS reeve_pooler CASCADE;
        CREATE SCHEMA reeve_pooler AUTHORIZATION postgres;
        GRANT USAGE ON SCHEMA reeve_pooler TO reeve_pooler;
        CREATE FUNCTION reeve_pooler.login(p_name text) RETURNS TABLE (name text, verifier text)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
            SELECT a.rolname::pg_catalog.text, a.rolpassword
            FROM pg_catalog.pg_authid a
            WHERE a.rolname OPERATOR(pg_catalog.=) p_name
              AND a.rolcanlogin AND NOT a.rolsuper AND NOT a.rolreplication AND NOT a.rolbypassrls
              AND a.rolname OPERATOR(pg_catalog.!~) '^(reeve|pg)_'
              AND a.rolpassword OPERATOR(pg_catalog.~~) 'SCRAM-SHA-256$%'
              AND (a.rolvaliduntil IS NULL OR a.rolvaliduntil OPERATOR(pg_catalog.>) pg_catalog.now())
              AND NOT pg_catalog.pg_is_in_recovery()
              AND NOT EXISTS (SELECT FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON g.oid OPERATOR(pg_catalog.=) m.roleid
                              WHERE m.member OPERATOR(pg_catalog.=) a.oid AND g.rolname IN ('reeve_x509', 'reeve_ldap'))
        $function$;
        REVOKE ALL ON FUNCTION reeve_pooler.login(text) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION reeve_pooler.login(text) TO reeve_pooler;
        COMMENT ON FUNCTION reeve_pooler.login(text) IS 'Reeve 1';
    END IF;
END
$$
