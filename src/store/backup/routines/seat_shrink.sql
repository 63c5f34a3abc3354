-- A seat of a history that has ended does not grow any more: what it had reserved beyond what it keeps is free for others, first of all for the next history of
-- its cluster. One that has not said how much it keeps stays as it is.
CREATE OR REPLACE FUNCTION seat_shrink(p_stanza bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat record;
BEGIN
    PERFORM placement_lock();
    FOR v_seat IN SELECT t.id, t.host_id, t.reserved_gb, least(t.reserved_gb, ceil(t.used_bytes / 1e9)::int + 1) AS needs_gb
                  FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
                  WHERE s.id = p_stanza AND s.state = 'FROZEN' AND t.used_bytes IS NOT NULL AND reeve_acts_for(s.org_id) LOOP
        UPDATE stanza_seat t SET reserved_gb = v_seat.needs_gb WHERE t.id = v_seat.id;
        UPDATE host h SET used_disk_gb = h.used_disk_gb - (v_seat.reserved_gb - v_seat.needs_gb) WHERE h.id = v_seat.host_id;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION seat_shrink(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_shrink(bytea) TO reeve_tenant;
