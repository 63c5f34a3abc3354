-- A host that is removed has no ends of peerings any more: those that waited for it alone are gone.
CREATE OR REPLACE FUNCTION host_removed_closes_peers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_peer bytea;
BEGIN
    FOR v_peer IN SELECT n.id FROM network_peer_gateway g JOIN network_peer n ON n.id = g.peer_id
                  WHERE g.host_id = NEW.id AND n.desired = 'REMOVED' ORDER BY n.id LOOP
        PERFORM peer_sweep(v_peer);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER host_removed_closes_peers AFTER UPDATE OF state ON host
    FOR EACH ROW WHEN (NEW.state = 'REMOVED') EXECUTE FUNCTION host_removed_closes_peers();
