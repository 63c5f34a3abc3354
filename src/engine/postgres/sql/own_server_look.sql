-- What must be known about the server of the control plane's own database before it can be backed up.
SELECT (current_setting('server_version_num')::int / 10000)::text AS major,
       (SELECT system_identifier FROM pg_control_system())::text AS system,
       (SELECT rolname FROM pg_roles WHERE oid = 10) AS superuser,
       (SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may_replicate,
       current_setting('wal_level') <> 'minimal' AS has_wal,
       current_setting('max_slot_wal_keep_size') <> '-1' AS is_bounded
