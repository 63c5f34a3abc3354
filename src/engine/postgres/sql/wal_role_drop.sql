-- A cluster without backups has nobody who receives its WAL. What a tenant gave the role stays theirs.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_wal') THEN
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reeve_wal';
        REASSIGN OWNED BY reeve_wal TO CURRENT_USER;
        DROP OWNED BY reeve_wal;
        DROP ROLE reeve_wal;
    END IF;
END
$$
