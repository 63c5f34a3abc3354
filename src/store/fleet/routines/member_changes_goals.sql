-- A member's wanted state and a task are in the goal the moment they are written: nobody can forget to say so. What agents report is
-- in other columns. Hosts that back the cluster up, or have a gate for it, are told where its members are.
CREATE OR REPLACE FUNCTION member_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = OLD.cluster_id)
                             || ARRAY(SELECT t.host_id::bytea FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id
                                      WHERE s.cluster_id = OLD.cluster_id AND t.desired = 'RUNNING')
                             || ARRAY(SELECT r.host_id::bytea FROM restore_job r WHERE r.target_id = OLD.cluster_id AND r.gate_port IS NOT NULL)
                             || OLD.host_id::bytea);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER member_changes_goals AFTER DELETE
    OR UPDATE OF desired, restart_nonce, size, cpus, memory_mb, disk_gb, electable, priority ON cluster_member
    FOR EACH ROW EXECUTE FUNCTION member_changes_goals();
