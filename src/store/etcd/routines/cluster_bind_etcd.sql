-- Chooses among the groups of a region one with room left, in turn with everybody who places members. False: there is none.
CREATE OR REPLACE FUNCTION cluster_bind_etcd(p_cluster bytea, p_provider text, p_region text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_group text;
BEGIN
    PERFORM placement_lock();
    SELECT g.name INTO v_group
    FROM etcd_group g, LATERAL (SELECT count(*) AS clusters FROM cluster c WHERE c.etcd_group = g.name AND c.id <> p_cluster) used
    WHERE g.state = 'ACTIVE' AND (g.regions = '{}' OR p_provider || '/' || p_region = ANY (g.regions))
      AND (g.capacity IS NULL OR used.clusters < g.capacity)
    ORDER BY g.regions = '{}', used.clusters::numeric / coalesce(g.capacity, 1000000), g.name
    LIMIT 1;
    IF v_group IS NULL THEN
        RETURN false;
    END IF;
    UPDATE cluster c SET etcd_group = v_group WHERE c.id = p_cluster AND reeve_acts_for(c.org_id);
    RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION cluster_bind_etcd(bytea, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_bind_etcd(bytea, text, text) TO reeve_tenant;
