-- `gates` of a repository host's goal: through each of them the members of one cluster read one stanza, for one restore. Whoever signs their
-- certificates is the target's own authority, so nobody else comes in.
CREATE OR REPLACE FUNCTION host_gates_goal(p_host bytea) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(json_agg(json_build_object(
        'id', encode(r.id, 'hex'),
        'seatId', encode(r.seat_id, 'hex'),
        'port', r.gate_port,
        'authority', coalesce((SELECT a.certificate FROM authority a WHERE a.purpose = 'CLUSTER' AND a.cluster_id = r.target_id), ''),
        'clusterId', encode(r.target_id, 'hex'),
        'clients', (SELECT coalesce(json_agg(json_build_object('name', member_name(c.set_name, c.host_label, m.ordinal), 'address', host(h.address)) ORDER BY m.ordinal), '[]')
                    FROM cluster c
                    JOIN cluster_member m ON m.cluster_id = c.id
                    JOIN host h ON h.id = m.host_id
                    WHERE c.id = r.target_id AND m.desired = 'RUNNING' AND h.state <> 'REMOVED' AND h.address IS NOT NULL),
        'label', r.label,
        'isExact', r.point = 'SNAPSHOT',
        'last', r.is_last) ORDER BY r.id), '[]')
    FROM restore_job r JOIN stanza_seat t ON t.id = r.seat_id
    WHERE r.host_id = p_host AND r.gate_port IS NOT NULL AND t.desired <> 'REMOVED'
$$;
REVOKE ALL ON FUNCTION host_gates_goal(bytea) FROM PUBLIC;
