-- A seat leaves its host: what it had reserved is free for others. With the last seat of a stanza the stanza goes, and what was known of its
-- snapshots; snapshots that no other seat has cannot be restored any more. Only what was to be removed is; false when it is gone already.
CREATE OR REPLACE FUNCTION seat_release(p_seat bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat stanza_seat;
BEGIN
    PERFORM placement_lock();
    SELECT * INTO v_seat FROM stanza_seat t WHERE t.id = p_seat AND t.desired = 'REMOVED' AND reeve_acts_for(t.org_id) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE host h SET used_disk_gb = h.used_disk_gb - v_seat.reserved_gb WHERE h.id = v_seat.host_id;
    UPDATE certificate c SET revoked_at = now() WHERE c.kind = 'SEAT' AND c.owner = encode(p_seat, 'hex') AND c.revoked_at IS NULL;
    UPDATE snapshot n SET state = 'FAILED', problem = 'The repository host that kept it is gone.'
        WHERE n.id IN (SELECT o.snapshot_id FROM seat_orphans(p_seat) o) AND n.state <> 'FAILED';
    DELETE FROM stanza_seat t WHERE t.id = p_seat;
    DELETE FROM backup_stanza s WHERE s.id = v_seat.stanza_id AND s.state = 'REMOVING'
        AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.stanza_id = s.id);
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION seat_release(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_release(bytea) TO reeve_tenant;
