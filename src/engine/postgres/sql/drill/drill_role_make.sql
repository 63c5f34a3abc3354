-- Who runs what tenants assert: reads everything, and may do nothing else. A role of that name that came back is not trusted.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_drill') THEN
        CREATE ROLE reeve_drill;
    END IF;
    ALTER ROLE reeve_drill LOGIN BYPASSRLS NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
    GRANT pg_read_all_data TO reeve_drill;
END
$$
