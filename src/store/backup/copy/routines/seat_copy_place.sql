-- The seat for copies in that region: the one that is there, which goes on if it was only kept, or a new one. NULL when there is no room.
CREATE OR REPLACE FUNCTION seat_copy_place(p_stanza bytea, p_provider text, p_region text, p_reserved_gb int) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat bytea;
BEGIN
    PERFORM placement_lock(); -- what follows sees everything that was placed before
    SELECT t.id INTO v_seat FROM stanza_seat t JOIN host h ON h.id = t.host_id JOIN backup_stanza s ON s.id = t.stanza_id
        WHERE t.stanza_id = p_stanza AND s.state = 'OPEN' AND reeve_acts_for(s.org_id) AND t.is_copy AND t.desired <> 'REMOVED'
          AND (h.provider, h.region) = (p_provider, p_region) AND (t.desired = 'RUNNING' OR h.state = 'ACTIVE')
        ORDER BY t.desired <> 'RUNNING', t.ordinal LIMIT 1;
    IF FOUND THEN
        UPDATE stanza_seat t SET desired = 'RUNNING' WHERE t.id = v_seat AND t.desired <> 'RUNNING';
        RETURN v_seat;
    END IF;
    RETURN seat_place(p_stanza, seat_next_ordinal(p_stanza), true, p_provider, p_region, p_reserved_gb);
END $$;
REVOKE ALL ON FUNCTION seat_copy_place(bytea, text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_copy_place(bytea, text, text, integer) TO reeve_tenant;
