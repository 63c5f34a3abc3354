-- A cluster that gained or lost a member may have all its walls now, or no longer.
CREATE OR REPLACE FUNCTION member_moves_walls() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM cluster_walls_settle(ARRAY[coalesce(NEW.cluster_id, OLD.cluster_id)::bytea]);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER member_moves_walls AFTER INSERT OR DELETE ON cluster_member FOR EACH ROW EXECUTE FUNCTION member_moves_walls();
