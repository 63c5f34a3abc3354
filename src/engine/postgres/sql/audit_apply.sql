-- Makes what is recorded of users and databases what the rule says. Only a superuser can set it, so whatever is there is ours. Patroni asks the server
-- every few seconds in the database of the superuser, where no tenant ever is: that is left out.
DO $$
DECLARE
    rule json := current_setting('reeve.audit')::json;
    one  record;
BEGIN
    FOR one IN
        WITH users AS (
            SELECT r.oid, r.rolname::text AS name FROM pg_roles r WHERE r.rolname IN (SELECT json_array_elements_text(rule -> 'users'))
            UNION ALL SELECT 0, NULL WHERE json_array_length(rule -> 'users') = 0),
        databases AS (
            SELECT d.oid, d.datname::text AS name FROM pg_database d
            WHERE d.datname IN (SELECT json_array_elements_text(rule -> 'databases'))
            UNION ALL SELECT 0, NULL WHERE json_array_length(rule -> 'databases') = 0),
        wanted AS (
            SELECT u.oid AS role, d.oid AS database, rule ->> 'log' AS log FROM users u, databases d WHERE u.oid <> 0 OR d.oid <> 0
            UNION ALL SELECT r.oid, d.oid, 'none' FROM pg_roles r, pg_database d
            WHERE r.rolname = rule ->> 'superuser' AND d.datname = rule ->> 'superuser'),
        have AS (
            SELECT s.setrole AS role, s.setdatabase AS database, substr(c, length('pgaudit.log=') + 1) AS log
            FROM pg_db_role_setting s, unnest(s.setconfig) AS c WHERE c LIKE 'pgaudit.log=%'),
        differing AS (
            SELECT role, database, max(w.log) AS log FROM wanted w FULL JOIN have h USING (role, database)
            WHERE w.log IS DISTINCT FROM h.log GROUP BY role, database)
        SELECT r.rolname, d.datname, x.log
        FROM differing x LEFT JOIN pg_roles r ON r.oid = x.role LEFT JOIN pg_database d ON d.oid = x.database LOOP
        EXECUTE CASE WHEN one.rolname IS NULL THEN format('ALTER DATABASE %I', one.datname)
                     WHEN one.datname IS NULL THEN format('ALTER ROLE %I', one.rolname)
                     ELSE format('ALTER ROLE %I IN DATABASE %I', one.rolname, one.datname) END
             || CASE WHEN one.log IS NULL THEN ' RESET pgaudit.log' ELSE format(' SET pgaudit.log = %L', one.log) END;
    END LOOP;
END $$
