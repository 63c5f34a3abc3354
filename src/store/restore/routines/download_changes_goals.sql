-- A download is in the goal of its host from the moment in which it is asked for until nothing is left of it.
CREATE OR REPLACE FUNCTION download_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(array_remove(ARRAY[NEW.host_id::bytea], NULL));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER download_made AFTER INSERT ON download FOR EACH ROW EXECUTE FUNCTION download_changes_goals();

CREATE OR REPLACE TRIGGER download_changed AFTER UPDATE OF ended_at, released_at ON download
    FOR EACH ROW WHEN ((OLD.ended_at, OLD.released_at) IS DISTINCT FROM (NEW.ended_at, NEW.released_at)) EXECUTE FUNCTION download_changes_goals();
