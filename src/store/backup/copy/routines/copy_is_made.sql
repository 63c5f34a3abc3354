-- A copy of a protected snapshot is protected by its host from the moment at which it is known.
CREATE OR REPLACE FUNCTION copy_is_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY[t.host_id::bytea]) FROM stanza_seat t, snapshot n
        WHERE t.id = NEW.seat_id AND t.is_copy AND n.id = NEW.snapshot_id AND n.protected_until > now();
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER copy_made AFTER INSERT ON snapshot_copy FOR EACH ROW EXECUTE FUNCTION copy_is_made();
