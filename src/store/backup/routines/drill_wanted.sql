-- Open stanzas whose backups are to be tried, with the settings: for the service only, which sees no settings of tenants otherwise.
CREATE OR REPLACE FUNCTION drill_wanted() RETURNS TABLE (stanza_id bytea, settings jsonb, runs boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT t.id::bytea, s, coalesce(c.document ->> 'paused', 'false') = 'false'
    FROM backup_stanza t
    JOIN resource c ON c.scope = t.project_id AND c.kind IN ('cluster', 'flexCluster') AND c.id = t.cluster_id
    CROSS JOIN LATERAL drill_settings(t.project_id, t.cluster_id) s
    WHERE t.state = 'OPEN' AND reeve_is_service()
$$;
REVOKE ALL ON FUNCTION drill_wanted() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drill_wanted() TO reeve_tenant;
