-- A host that can do more, or less, changes what the clusters on it may have.
CREATE OR REPLACE FUNCTION host_facts_move_walls() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM cluster_walls_settle(ARRAY(SELECT DISTINCT m.cluster_id::bytea FROM cluster_member m WHERE m.host_id = NEW.id));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER host_facts_move_walls AFTER UPDATE OF facts ON host
    FOR EACH ROW WHEN (OLD.facts -> 'walls' IS DISTINCT FROM NEW.facts -> 'walls') EXECUTE FUNCTION host_facts_move_walls();
