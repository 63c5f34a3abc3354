-- The group has the cluster's user now: its members are told.
CREATE OR REPLACE FUNCTION cluster_etcd_user_made(p_cluster bytea, p_user text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE cluster c SET etcd_user = p_user WHERE c.id = p_cluster AND reeve_acts_for(c.org_id);
    IF FOUND THEN
        PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m
                                       WHERE m.cluster_id = p_cluster AND m.desired <> 'PLANNED'));
    END IF;
    RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION cluster_etcd_user_made(bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_etcd_user_made(bytea, text) TO reeve_tenant;
