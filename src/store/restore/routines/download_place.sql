-- Has a snapshot made into a file by the host that keeps it, if it has room. OK, or why not: BUSY when another download from that seat is not gone yet, FULL without
-- room, GONE without the seat.
CREATE OR REPLACE FUNCTION download_place(p_restore bytea, p_project bytea, p_cluster bytea, p_seat bytea, p_snapshot bytea, p_label text, p_reserved_gb int)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seat stanza_seat;
    v_port int;
BEGIN
    PERFORM placement_lock(); -- what follows sees everything that was placed before
    SELECT t.* INTO v_seat FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
        WHERE t.id = p_seat AND t.desired <> 'REMOVED' AND s.project_id = p_project AND s.cluster_id = p_cluster AND reeve_acts_for(t.org_id);
    IF NOT FOUND THEN
        RETURN 'GONE';
    END IF;
    IF EXISTS (SELECT FROM download d WHERE d.seat_id = p_seat AND d.released_at IS NULL) THEN
        RETURN 'BUSY';
    END IF;
    SELECT p INTO v_port FROM generate_series(27200, 27299) p
        WHERE NOT EXISTS (SELECT FROM download d WHERE d.host_id = v_seat.host_id AND d.port = p AND d.released_at IS NULL) ORDER BY p LIMIT 1;
    UPDATE host h SET used_disk_gb = h.used_disk_gb + p_reserved_gb
        WHERE h.id = v_seat.host_id AND h.disk_gb - h.used_disk_gb >= p_reserved_gb AND v_port IS NOT NULL;
    IF NOT FOUND THEN
        RETURN 'FULL';
    END IF;
    INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, snapshot_at, is_last, delivery)
        SELECT p_restore, s.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, v_seat.id, v_seat.host_id, p_label, 'SNAPSHOT', p_snapshot,
               (SELECT n.created_at FROM snapshot n WHERE n.id = p_snapshot), false, 'DOWNLOAD'
        FROM backup_stanza s WHERE s.id = v_seat.stanza_id;
    INSERT INTO download (restore_id, org_id, seat_id, host_id, port, reserved_gb)
        VALUES (p_restore, v_seat.org_id, v_seat.id, v_seat.host_id, v_port, p_reserved_gb);
    RETURN 'OK';
END $$;
REVOKE ALL ON FUNCTION download_place(bytea, bytea, bytea, bytea, bytea, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION download_place(bytea, bytea, bytea, bytea, bytea, text, integer) TO reeve_tenant;
