-- Makes the seats that copySettings of open histories ask for and that are not there: a history that began with a restore, or whose host was lost when no other had
-- room. How many were made.
CREATE OR REPLACE FUNCTION seat_copies_complete() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_wish record;
    v_count bigint := 0;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'missing seats are made by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM placement_lock(); -- whoever changes the settings now is waited for
    FOR v_wish IN SELECT s.id, s.cluster_id, e ->> 'cloudProvider' AS provider, e ->> 'regionName' AS region,
                         (SELECT max(f.reserved_gb) FROM stanza_seat f WHERE f.stanza_id = s.id AND NOT f.is_copy) AS reserved_gb
                  FROM backup_stanza s
                  JOIN resource r ON r.scope = s.project_id AND r.kind = 'backupSchedule' AND r.name = encode(s.cluster_id, 'hex')
                  CROSS JOIN LATERAL jsonb_array_elements(r.document -> 'copySettings') e
                  WHERE s.state = 'OPEN'
                    AND NOT EXISTS (SELECT FROM stanza_seat t JOIN host h ON h.id = t.host_id
                                    WHERE t.stanza_id = s.id AND t.is_copy AND t.desired = 'RUNNING'
                                      AND (h.provider, h.region) = (e ->> 'cloudProvider', e ->> 'regionName'))
                  ORDER BY random() LIMIT 100 LOOP -- those without room keep no others from theirs
        IF v_wish.reserved_gb IS NOT NULL AND seat_copy_place(v_wish.id, v_wish.provider, v_wish.region, v_wish.reserved_gb) IS NOT NULL THEN
            PERFORM cluster_touch(v_wish.cluster_id);
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;
REVOKE ALL ON FUNCTION seat_copies_complete() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_copies_complete() TO reeve_tenant;
