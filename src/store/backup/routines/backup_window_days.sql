-- How many days back any moment of a cluster must be restorable; 0 when it has no schedule. The service asks it for all tenants.
CREATE OR REPLACE FUNCTION backup_window_days(p_project bytea, p_cluster bytea) RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce((SELECT (r.document -> 'restoreWindowDays')::int FROM resource r
                     WHERE r.scope = p_project AND r.kind = 'backupSchedule' AND r.name = encode(p_cluster, 'hex')), 0)
$$;
REVOKE ALL ON FUNCTION backup_window_days(bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backup_window_days(bytea, bytea) TO reeve_tenant;
