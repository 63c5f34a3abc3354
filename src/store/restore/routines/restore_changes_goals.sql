-- A restore is in the goals of the target's hosts and of the gate's the moment it is written. What agents report is in other columns.
CREATE OR REPLACE FUNCTION restore_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = NEW.target_id)
                             || array_remove(ARRAY[NEW.host_id::bytea, OLD.host_id::bytea], NULL));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER restore_changed AFTER UPDATE OF phase, first_member, gate_port, host_id ON restore_job
    FOR EACH ROW WHEN ((OLD.phase, OLD.first_member, OLD.gate_port, OLD.host_id) IS DISTINCT FROM (NEW.phase, NEW.first_member, NEW.gate_port, NEW.host_id))
    EXECUTE FUNCTION restore_changes_goals();
