-- Whether sessions of the superuser $1 in its own database are not recorded, and ends those of Patroni: settings hold for new sessions only, and Patroni
-- keeps its own open. It opens others when it finds them closed.
SELECT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase
               WHERE r.rolname = $1 AND d.datname = $1 AND 'pgaudit.log=none' = ANY (s.setconfig)),
       (SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a
        WHERE a.usename = $1 AND a.client_addr IS NULL AND a.application_name LIKE 'Patroni%')
