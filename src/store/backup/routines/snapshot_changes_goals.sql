-- What somebody asks for, protects or deletes is told to the hosts that keep it.
CREATE OR REPLACE FUNCTION snapshot_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM stanza_touch(NEW.stanza_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER snapshot_made AFTER INSERT ON snapshot
    FOR EACH ROW WHEN (NEW.state = 'QUEUED' OR NEW.protected_until IS NOT NULL) EXECUTE FUNCTION snapshot_changes_goals();

CREATE OR REPLACE TRIGGER snapshot_changed AFTER UPDATE OF protected_until, expires_at, hidden_at ON snapshot
    FOR EACH ROW WHEN ((OLD.protected_until, OLD.expires_at, OLD.hidden_at) IS DISTINCT FROM (NEW.protected_until, NEW.expires_at, NEW.hidden_at))
    EXECUTE FUNCTION snapshot_changes_goals();
