-- How many members of a group would be locked out if nothing went without a user: agents say "<member id>+ETCD" about those that
-- were started with one, and those that are stopped will be.
CREATE OR REPLACE FUNCTION etcd_group_waits_for(p_group text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id JOIN host h ON h.id = m.host_id
    WHERE c.etcd_group = p_group AND m.desired = 'RUNNING' AND h.state <> 'REMOVED'
      AND NOT coalesce(h.facts -> 'walls' ? (encode(m.id, 'hex') || '+ETCD'), false)
$$;
REVOKE ALL ON FUNCTION etcd_group_waits_for(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION etcd_group_waits_for(text) TO reeve_reader;
