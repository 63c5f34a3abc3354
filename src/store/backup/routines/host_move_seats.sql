-- What a host that was given up has kept is lost: the seats that went on get another host, which begins anew, and the others are forgotten.
-- How many seats there still are: those for which there is no other host yet; of a host that is only being emptied all of them, until what
-- they keep is deleted.
CREATE OR REPLACE FUNCTION host_move_seats(p_host bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_host host;
    v_seat record;
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
                IF seat_place(v_seat.stanza_id, v_seat.ordinal, v_host.provider, v_host.region, v_seat.reserved_gb) IS NULL THEN
                    RAISE no_data_found; -- it stays until there is a host with room
                END IF;
                PERFORM cluster_touch(v_seat.cluster_id), pg_notify('reeve_job', encode(v_seat.cluster_id, 'hex'));
            ELSE
                DELETE FROM backup_stanza s WHERE s.id = v_seat.stanza_id AND s.state <> 'OPEN'
                    AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.stanza_id = s.id); -- nothing is left of it anywhere
            END IF;
        EXCEPTION WHEN no_data_found THEN
            NULL;
        END;
    END LOOP;
    RETURN (SELECT count(*) FROM stanza_seat t JOIN host h ON h.id = t.host_id WHERE t.host_id = p_host AND h.state IN ('DRAINING', 'REMOVED'));
END $$;
REVOKE ALL ON FUNCTION host_move_seats(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_move_seats(bytea) TO reeve_tenant;
