-- A seat is in the goal of its host, and its name in those of the cluster's members, the moment it is written. What agents report is in other
-- columns.
CREATE OR REPLACE FUNCTION seat_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat stanza_seat := coalesce(NEW, OLD);
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM backup_stanza s JOIN cluster_member m ON m.cluster_id = s.cluster_id
                                   WHERE s.id = v_seat.stanza_id) || v_seat.host_id::bytea);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER seat_changes_goals AFTER INSERT OR DELETE OR UPDATE OF desired, host_id ON stanza_seat
    FOR EACH ROW EXECUTE FUNCTION seat_changes_goals();
