-- No more copies in that region. What is there is kept until it expires, or removed with its seat (p_is_removed); then snapshots that are nowhere else are gone for
-- whoever looks. How many seats that was about. Whoever calls it has looked whether something is protected.
CREATE OR REPLACE FUNCTION seat_copy_end(p_stanza bytea, p_provider text, p_region text, p_is_removed boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat record;
    v_count bigint := 0;
BEGIN
    PERFORM placement_lock(); -- nobody places one there meanwhile
    FOR v_seat IN SELECT t.id, t.desired FROM stanza_seat t JOIN host h ON h.id = t.host_id
                  WHERE t.stanza_id = p_stanza AND reeve_acts_for(t.org_id) AND t.is_copy AND t.desired <> 'REMOVED'
                    AND (h.provider, h.region) = (p_provider, p_region) ORDER BY t.id LOOP
        v_count := v_count + 1;
        IF p_is_removed THEN
            UPDATE snapshot n SET hidden_at = now() WHERE n.hidden_at IS NULL AND n.id IN (SELECT o.snapshot_id FROM seat_orphans(v_seat.id) o);
            UPDATE stanza_seat t SET desired = 'REMOVED' WHERE t.id = v_seat.id;
        ELSIF v_seat.desired = 'RUNNING' THEN
            UPDATE stanza_seat t SET desired = 'FROZEN' WHERE t.id = v_seat.id;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;
REVOKE ALL ON FUNCTION seat_copy_end(bytea, text, text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_copy_end(bytea, text, text, boolean) TO reeve_tenant;
