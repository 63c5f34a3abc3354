-- Makes an extension of our own list. Its script runs as the superuser and finds names in the target schema, in those of what it needs, and in PostgreSQL's
-- own: in all of them only the superuser may have made anything. All or nothing, and when it is done a standby has it.
DO $do$
DECLARE
    wanted text := :'extension';
    target text := :'schema';
    one    record;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    IF current_setting('server_version_num')::int >= 170000 THEN
        PERFORM set_config('event_triggers', 'off', true);
    END IF;
    CREATE SCHEMA IF NOT EXISTS reeve_extensions;
    -- Only now: somebody could have made it before or in between.
    FOR one IN SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = 'reeve_extensions' AND nspowner <> 10 LOOP
        RAISE EXCEPTION 'the schema reeve_extensions belongs to %; rename or drop it', one.owner;
    END LOOP;
    FOR one IN SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
               FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'reeve_extensions' AND a.privilege_type = 'CREATE' AND a.grantee <> 10 LOOP
        EXECUTE format('REVOKE CREATE ON SCHEMA reeve_extensions FROM %s CASCADE', one.grantee);
    END LOOP;
    FOR one IN SELECT proname AS name FROM pg_proc WHERE pronamespace = 'reeve_extensions'::regnamespace AND proowner <> 10
               UNION ALL SELECT relname FROM pg_class WHERE relnamespace = 'reeve_extensions'::regnamespace AND relowner <> 10
               UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'reeve_extensions'::regnamespace AND typowner <> 10
               UNION ALL SELECT oprname FROM pg_operator WHERE oprnamespace = 'reeve_extensions'::regnamespace AND oprowner <> 10
               UNION ALL SELECT collname FROM pg_collation WHERE collnamespace = 'reeve_extensions'::regnamespace AND collowner <> 10
               UNION ALL SELECT opcname FROM pg_opclass WHERE opcnamespace = 'reeve_extensions'::regnamespace AND opcowner <> 10
               UNION ALL SELECT opfname FROM pg_opfamily WHERE opfnamespace = 'reeve_extensions'::regnamespace AND opfowner <> 10
               UNION ALL SELECT dictname FROM pg_ts_dict WHERE dictnamespace = 'reeve_extensions'::regnamespace AND dictowner <> 10
               UNION ALL SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'reeve_extensions'::regnamespace AND cfgowner <> 10 LOOP
        RAISE EXCEPTION 'somebody has made % in the schema reeve_extensions; drop it', one.name;
    END LOOP;
    -- A tenant can make some extensions in a schema of their own, whose objects the script would then find.
    FOR one IN SELECT r.name FROM pg_available_extensions a JOIN pg_available_extension_versions v ON v.name = a.name AND v.version = a.default_version,
               unnest(v.requires) AS r (name)
               WHERE a.name = wanted
                 AND NOT EXISTS (SELECT FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                                 WHERE e.extname = r.name AND e.extowner = 10 AND n.nspname IN ('reeve_extensions', 'pg_catalog')) LOOP
        RAISE EXCEPTION 'it needs the extension %, made through Reeve', one.name;
    END LOOP;
    EXECUTE format('CREATE EXTENSION %I SCHEMA %I', wanted, target);
    -- Who may connect may use it. What comes later gets it with its other rights (roles/group_grant.sql).
    FOR one IN SELECT n.nspname, r.rolname FROM pg_namespace n, pg_roles r
               WHERE (n.nspname = 'reeve_extensions'
                      OR EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
                                 WHERE d.classid = 'pg_namespace'::regclass AND d.objid = n.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
                                   AND e.extname = wanted))
                 AND (r.rolname LIKE 'reeve\_g\_%' OR r.oid = (SELECT datdba FROM pg_database WHERE datname = current_database()))
                 AND has_database_privilege(r.oid, current_database(), 'CONNECT') AND NOT has_schema_privilege(r.oid, n.oid, 'USAGE') LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', one.nspname, one.rolname);
    END LOOP;
    -- Its functions work as who calls them, and keep what they were told in tables. Whoever owns the database owns what it is told about.
    IF wanted = 'pg_partman' THEN
        FOR one IN SELECT c.oid::regclass AS name, pg_get_userbyid(b.datdba) AS owner FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid JOIN pg_class c ON c.oid = d.objid, pg_database b
                   WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = wanted
                     AND c.relkind IN ('r', 'p') AND b.datname = current_database() AND b.datdba <> 10 LOOP
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE %s TO %I', one.name, one.owner);
        END LOOP;
    END IF;
    -- Names of it are found without the schema, behind everything else, unless somebody has said where names are found.
    IF target = 'reeve_extensions'
       AND NOT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database b ON b.oid = s.setdatabase, unnest(s.setconfig) AS c
                       WHERE b.datname = current_database() AND s.setrole = 0 AND c LIKE 'search\_path=%') THEN
        EXECUTE format('ALTER DATABASE %I SET search_path = "$user", public, reeve_extensions', current_database());
    END IF;
END
$do$
