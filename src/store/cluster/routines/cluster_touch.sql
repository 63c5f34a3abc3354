-- Something changed in a cluster: the hosts that have a member of it get a new goal. Returns the new generation.
CREATE OR REPLACE FUNCTION cluster_touch(p_cluster bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_generation bigint;
BEGIN
    UPDATE cluster c SET goal_generation = c.goal_generation + 1
        WHERE c.id = p_cluster AND reeve_acts_for(c.org_id) RETURNING c.goal_generation INTO v_generation;
    IF FOUND THEN
        PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = p_cluster));
    END IF;
    RETURN v_generation;
END $$;
REVOKE ALL ON FUNCTION cluster_touch(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_touch(bytea) TO reeve_tenant;
