-- A peering is in the goals of its hosts the moment it is written, and out of them the moment it is gone.
CREATE OR REPLACE FUNCTION peer_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_peer network_peer := coalesce(NEW, OLD);
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.project_id = v_peer.project_id)
                             || ARRAY(SELECT g.host_id::bytea FROM network_peer_gateway g WHERE g.peer_id = v_peer.id));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER peer_changed AFTER INSERT OR DELETE OR UPDATE OF public_key, endpoint_address, endpoint_port, blocks, desired ON network_peer
    FOR EACH ROW EXECUTE FUNCTION peer_changes_goals();
