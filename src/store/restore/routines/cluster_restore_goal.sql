-- What the members of a cluster do for the restore into it. NULL when there is none. Whoever follows a timeline that was left need not come to the end of the last one.
CREATE OR REPLACE FUNCTION cluster_restore_goal(p_cluster bytea) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object(
        'id', encode(r.id, 'hex'),
        'phase', r.phase,
        'first', encode(r.first_member, 'hex'),
        'stanza', r.stanza,
        'majorVersion', c.major_version,
        'gate', json_build_object('address', coalesce((SELECT host(h.address) FROM host h WHERE h.id = r.host_id), '0.0.0.0'),
                                  'port', coalesce(r.gate_port, 27100), -- nobody listens there once it is closed
                                  'name', 'reeve-gate-' || encode(r.id, 'hex')),
        'point', json_build_object('kind', r.point, 'label', r.label,
                                   'time', to_char(r.point_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                   'lsn', r.point_lsn, 'timeline', r.point_timeline, 'endLsn', CASE WHEN r.point_timeline IS NULL THEN r.served_lsn END))
    FROM restore_job r JOIN cluster c ON c.id = r.target_id
    WHERE r.target_id = p_cluster AND r.phase IS NOT NULL AND r.first_member IS NOT NULL
    ORDER BY r.created_at DESC, r.id DESC LIMIT 1
$$;
REVOKE ALL ON FUNCTION cluster_restore_goal(bytea) FROM PUBLIC;
