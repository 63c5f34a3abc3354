-- A seat is to leave its host: another one is made in the same region, and when it can be restored from, this one receives nothing any more. It stays as it is while there is no room.
CREATE OR REPLACE FUNCTION seat_succeed(p_seat bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat stanza_seat;
    v_host host;
    v_next stanza_seat;
    v_cluster bytea;
BEGIN
    SELECT * INTO v_seat FROM stanza_seat t WHERE t.id = p_seat AND t.desired = 'RUNNING';
    SELECT * INTO v_host FROM host h WHERE h.id = v_seat.host_id;
    SELECT t.* INTO v_next FROM stanza_seat t JOIN host h ON h.id = t.host_id
        WHERE t.stanza_id = v_seat.stanza_id AND t.is_copy = v_seat.is_copy AND t.desired = 'RUNNING' AND h.state = 'ACTIVE'
          AND (h.provider, h.region) = (v_host.provider, v_host.region) ORDER BY t.ordinal LIMIT 1;
    IF NOT FOUND THEN
        IF seat_place(v_seat.stanza_id, seat_next_ordinal(v_seat.stanza_id), v_seat.is_copy, v_host.provider, v_host.region, v_seat.reserved_gb) IS NOT NULL THEN
            SELECT s.cluster_id INTO v_cluster FROM backup_stanza s WHERE s.id = v_seat.stanza_id;
            PERFORM cluster_touch(v_cluster), pg_notify('reeve_job', encode(v_cluster, 'hex'));
        END IF;
    ELSIF v_next.window_to IS NOT NULL AND NOT seat_is_silent(v_next) THEN
        UPDATE stanza_seat t SET desired = 'FROZEN' WHERE t.id = p_seat;
    END IF;
END $$;
REVOKE ALL ON FUNCTION seat_succeed(bytea) FROM PUBLIC;
