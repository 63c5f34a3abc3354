-- What copySettings of the cluster's schedule say about a seat: NULL when it keeps everything, and nothing at all to copy when no setting is about it any more.
CREATE OR REPLACE FUNCTION seat_copy_setting(p_seat stanza_seat) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT CASE WHEN p_seat.is_copy THEN coalesce(
        (SELECT e FROM host h, backup_stanza s, resource r, jsonb_array_elements(r.document -> 'copySettings') e
         WHERE h.id = p_seat.host_id AND s.id = p_seat.stanza_id
           AND r.scope = s.project_id AND r.kind = 'backupSchedule' AND r.name = encode(s.cluster_id, 'hex')
           AND (e ->> 'cloudProvider', e ->> 'regionName') = (h.provider, h.region) LIMIT 1),
        '{"frequencies": [], "shouldCopyOplogs": false}') END
$$;
REVOKE ALL ON FUNCTION seat_copy_setting(stanza_seat) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_copy_setting(stanza_seat) TO reeve_reader, reeve_tenant;
