-- Grants in the current database to one group. Looks first: granting again what was granted writes to the catalog each time.
-- A collection is a table of the schema public, or of another one as "schema.table". What extensions of the superuser consist of has the rights that they
-- give by themselves: a table may hold what the server does as somebody (cron.job), and whoever makes anything in their schemas is found by their scripts.
DO $$
DECLARE
    grantee    text := current_setting('reeve.grantee');
    collection text := current_setting('reeve.collection');
    tables     text := current_setting('reeve.tables');
    sequences  text := current_setting('reeve.sequences');
    schemas    text := current_setting('reeve.schemas');
    one        record;
BEGIN
    -- An agent that knew less may have granted what is closed now: then it is taken back.
    FOR one IN SELECT * FROM (
                   SELECT n.oid, n.nspname, n.nspacl, p.word,
                          p.word = 'CREATE' AND (n.nspowner = 10 AND n.nspname ~ '^reeve_'
                              OR EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extowner = 10
                                         WHERE d.classid = 'pg_namespace'::regclass AND d.objid = n.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e')) AS is_closed
                   FROM pg_namespace n, string_to_table(schemas, ',') AS p (word) WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema') s
               WHERE CASE WHEN s.is_closed
                   THEN EXISTS (SELECT FROM aclexplode(s.nspacl) AS a (grantor, holder, privilege, grantable) JOIN pg_roles r ON r.oid = a.holder
                                WHERE r.rolname = current_setting('reeve.grantee') AND a.privilege = s.word)
                   ELSE NOT has_schema_privilege(grantee, s.oid, s.word) END LOOP
        EXECUTE format(CASE WHEN one.is_closed THEN 'REVOKE %s ON SCHEMA %I FROM %I' ELSE 'GRANT %s ON SCHEMA %I TO %I' END, one.word, one.nspname, grantee);
    END LOOP;
    FOR one IN SELECT c.relname, n.nspname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
                 AND (collection = '' OR c.relkind <> 'S' AND ((n.nspname = 'public' AND c.relname = collection) OR n.nspname || '.' || c.relname = collection))
                 AND CASE WHEN c.relkind = 'S'
                     THEN EXISTS (SELECT FROM string_to_table(sequences, ',') AS p (word) WHERE NOT has_sequence_privilege(grantee, c.oid, p.word))
                     ELSE EXISTS (SELECT FROM string_to_table(tables, ',') AS p (word) WHERE NOT has_table_privilege(grantee, c.oid, p.word)) END
                 AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extowner = 10
                                 WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e') LOOP
        IF one.relkind = 'S' THEN
            EXECUTE format('GRANT %s ON SEQUENCE %I.%I TO %I', sequences, one.nspname, one.relname, grantee);
        ELSE
            EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', tables, one.nspname, one.relname, grantee);
        END IF;
    END LOOP;
END $$
