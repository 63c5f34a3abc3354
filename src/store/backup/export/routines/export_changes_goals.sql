-- A host is told of an export that it is to run, and of its end, so that it forgets what it came to.
CREATE OR REPLACE FUNCTION export_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM stanza_touch(NEW.stanza_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER export_changed AFTER UPDATE OF seat_id, given_at, finished_at ON export_job
    FOR EACH ROW WHEN ((OLD.seat_id, OLD.given_at, OLD.finished_at) IS DISTINCT FROM (NEW.seat_id, NEW.given_at, NEW.finished_at))
    EXECUTE FUNCTION export_changes_goals();
