-- Seats leave a host. What a host that was given up has kept is lost: its seats that went on get another host, which begins anew, and the others are forgotten. A host that
-- is only being emptied keeps what it has: each seat that goes on gets a successor in the same region, receives until that one can be restored from, and is then kept
-- until its last snapshot has expired (seat_spent.sql). How many seats there still are; also those for which there is no other host yet.
CREATE OR REPLACE FUNCTION host_move_seats(p_host bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_host host;
    v_seat record;
    v_next bytea;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'hosts are emptied by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM placement_lock();
    SELECT * INTO v_host FROM host h WHERE h.id = p_host;
    FOR v_seat IN SELECT t.*, s.cluster_id FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
                  WHERE t.host_id = p_host AND v_host.state = 'REMOVED' ORDER BY t.id LOOP
        BEGIN
            UPDATE stanza_seat t SET desired = 'REMOVED' WHERE t.id = v_seat.id;
            PERFORM seat_release(v_seat.id);
            IF v_seat.desired = 'RUNNING' THEN
                v_next := seat_place(v_seat.stanza_id, v_seat.ordinal, v_seat.is_copy, v_host.provider, v_host.region, v_seat.reserved_gb);
                IF v_next IS NULL THEN
                    RAISE no_data_found; -- it stays until there is a host with room
                END IF;
                UPDATE stanza_seat t SET failing_told = v_seat.failing_told WHERE t.id = v_next; -- it is over when the next one works
                PERFORM cluster_touch(v_seat.cluster_id), pg_notify('reeve_job', encode(v_seat.cluster_id, 'hex'));
            ELSE
                DELETE FROM backup_stanza s WHERE s.id = v_seat.stanza_id AND s.state <> 'OPEN'
                    AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.stanza_id = s.id); -- nothing is left of it anywhere
            END IF;
        EXCEPTION WHEN no_data_found THEN
            NULL;
        END;
    END LOOP;
    IF v_host.state = 'DRAINING' THEN
        PERFORM seat_succeed(t.id) FROM stanza_seat t WHERE t.host_id = p_host AND t.desired = 'RUNNING' ORDER BY t.id;
    END IF;
    RETURN (SELECT count(*) FROM stanza_seat t JOIN host h ON h.id = t.host_id WHERE t.host_id = p_host AND h.state IN ('DRAINING', 'REMOVED'));
END $$;
REVOKE ALL ON FUNCTION host_move_seats(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_move_seats(bytea) TO reeve_tenant;
