-- The operator lets go what a host only keeps: seats that receive nothing any more are removed, and with them snapshots that are nowhere else. Nothing is when one of their
-- copies is protected (protected_until). Seats from which a restore reads stay.
CREATE OR REPLACE FUNCTION host_drop_seats(p_host bytea, OUT seats bigint, OUT protected_until timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat record;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'hosts are emptied by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM placement_lock();
    seats := 0;
    SELECT max(n.protected_until) INTO protected_until FROM stanza_seat t JOIN snapshot_copy c ON c.seat_id = t.id JOIN snapshot n ON n.id = c.snapshot_id
        WHERE t.host_id = p_host AND t.desired = 'FROZEN' AND c.state <> 'FAILED' AND n.protected_until > now();
    FOR v_seat IN SELECT t.id, t.stanza_id FROM stanza_seat t
                  WHERE t.host_id = p_host AND t.desired = 'FROZEN' AND protected_until IS NULL
                    AND NOT EXISTS (SELECT FROM restore_job r WHERE r.seat_id = t.id AND r.finished_at IS NULL) ORDER BY t.id LOOP
        UPDATE snapshot n SET hidden_at = now() WHERE n.hidden_at IS NULL AND n.id IN (SELECT o.snapshot_id FROM seat_orphans(v_seat.id) o);
        UPDATE stanza_seat t SET desired = 'REMOVED' WHERE t.id = v_seat.id;
        UPDATE backup_stanza s SET state = 'REMOVING' WHERE s.id = v_seat.stanza_id AND s.state = 'FROZEN'
            AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.stanza_id = s.id AND t.desired <> 'REMOVED');
        seats := seats + 1;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION host_drop_seats(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_drop_seats(bytea) TO reeve_tenant;
