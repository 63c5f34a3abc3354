-- Finds a repository host for a stanza, reserves disk there and makes the seat. The first seat is in the cluster's region. Others are
-- at other sites: in another zone of that region, or in the region that is asked for. NULL when there is no room, or no ordinal.
CREATE OR REPLACE FUNCTION seat_place(p_stanza bytea, p_ordinal int, p_is_copy boolean, p_provider text, p_region text, p_reserved_gb int) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_stanza backup_stanza;
    v_host host;
    v_seat bytea;
BEGIN
    SELECT * INTO v_stanza FROM backup_stanza s WHERE s.id = p_stanza AND s.state = 'OPEN' AND reeve_acts_for(s.org_id);
    IF NOT FOUND OR p_ordinal IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM placement_lock(); -- what follows sees everything that was placed before
    SELECT t.id INTO v_seat FROM stanza_seat t WHERE t.stanza_id = p_stanza AND t.ordinal = p_ordinal;
    IF FOUND THEN
        RETURN v_seat; -- a step that is run again
    END IF;
    SELECT h.* INTO v_host
    FROM host h
    WHERE h.state = 'ACTIVE' AND h.purpose = 'REPOSITORY' AND h.provider = p_provider AND h.region = p_region
      AND host_keeps_backups(h)
      AND h.disk_gb - h.used_disk_gb >= p_reserved_gb
      AND NOT EXISTS (SELECT FROM stanza_seat t JOIN host o ON o.id = t.host_id
                      WHERE t.stanza_id = p_stanza AND t.desired <> 'REMOVED' AND o.state = 'ACTIVE'
                        AND (o.provider, o.region, o.zone) = (h.provider, h.region, h.zone))
    ORDER BY h.last_seen_at IS NULL OR h.last_seen_at < now() - interval '1 minute', -- silent ones only when there is no other
             h.used_disk_gb::numeric / nullif(h.disk_gb, 0), h.id
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    v_seat := reeve_new_id(p_stanza);
    UPDATE host h SET used_disk_gb = h.used_disk_gb + p_reserved_gb WHERE h.id = v_host.id;
    INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, is_copy, object_store, store_folder, reserved_gb)
        VALUES (v_seat, v_stanza.org_id, p_stanza, v_host.id, p_ordinal, p_is_copy, v_host.object_store, v_stanza.name || '-' || encode(v_seat, 'hex'), p_reserved_gb);
    RETURN v_seat;
END $$;
REVOKE ALL ON FUNCTION seat_place(bytea, integer, boolean, text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_place(bytea, integer, boolean, text, text, integer) TO reeve_tenant;
