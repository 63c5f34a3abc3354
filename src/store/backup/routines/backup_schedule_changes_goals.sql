-- Schedules are kept by the hosts that take the snapshots. A schedule's name is the id of its cluster.
CREATE OR REPLACE FUNCTION backup_schedule_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_name text := coalesce(NEW.name, OLD.name);
BEGIN
    IF v_name ~ '^[0-9a-f]{24}$' THEN
        PERFORM stanza_touch(s.id) FROM backup_stanza s WHERE s.cluster_id = decode(v_name, 'hex') AND s.state = 'OPEN';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER backup_schedule_made AFTER INSERT ON resource
    FOR EACH ROW WHEN (NEW.kind = 'backupSchedule') EXECUTE FUNCTION backup_schedule_changes_goals();

CREATE OR REPLACE TRIGGER backup_schedule_changed AFTER UPDATE OF document ON resource
    FOR EACH ROW WHEN (NEW.kind = 'backupSchedule') EXECUTE FUNCTION backup_schedule_changes_goals();

CREATE OR REPLACE TRIGGER backup_schedule_gone AFTER DELETE ON resource
    FOR EACH ROW WHEN (OLD.kind = 'backupSchedule') EXECUTE FUNCTION backup_schedule_changes_goals();
