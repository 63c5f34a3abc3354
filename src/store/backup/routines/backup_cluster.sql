-- The cluster of that name whose backups a path means: the one that is there, else the last dedicated one of that name that left backups behind.
CREATE OR REPLACE FUNCTION backup_cluster(p_project bytea, p_kind text, p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT r.id FROM resource r WHERE r.scope = p_project AND r.kind = p_kind AND r.name = p_name),
                    (SELECT t.cluster_id FROM backup_stanza t
                     WHERE t.project_id = p_project AND t.cluster_name = p_name AND t.state <> 'REMOVING' AND p_kind = 'cluster'
                       AND NOT EXISTS (SELECT FROM cluster c WHERE c.id = t.cluster_id)
                     ORDER BY t.created_at DESC, t.id DESC LIMIT 1))::bytea
$$;
