-- How backups of a cluster are tried: what is said for the cluster, else for its project, else weekly.
CREATE OR REPLACE FUNCTION drill_settings(p_project bytea, p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT '{"enabled": true, "intervalDays": 7, "assertions": []}'::jsonb
           || coalesce((SELECT r.document FROM resource r WHERE r.scope = p_project AND r.kind = 'backupDrillSettings' AND r.name = ''), '{}')
           || coalesce((SELECT r.document - 'clusterName' FROM resource r
                        WHERE r.scope = p_project AND r.kind = 'backupDrillSettings' AND r.name = encode(p_cluster, 'hex')), '{}')
$$;
