-- A copy that is to go is named in the goal of its host.
CREATE OR REPLACE FUNCTION copy_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT t.host_id::bytea FROM stanza_seat t WHERE t.id = NEW.seat_id));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER copy_goes AFTER UPDATE OF state ON snapshot_copy
    FOR EACH ROW WHEN (NEW.state = 'REMOVING' AND OLD.state <> 'REMOVING') EXECUTE FUNCTION copy_changes_goals();
