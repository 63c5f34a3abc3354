-- What a relay host is told: its relays, who may come to them, and where each port leads: first to the member that it is for, then to others with ports.
CREATE OR REPLACE FUNCTION host_relays_goal(p_host bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(json_agg(json_build_object(
        'id', encode(s.id, 'hex'),
        'name', private_endpoint_label(s),
        'address', host(s.address),
        'prefix', a.prefix,
        'clients', (SELECT coalesce(json_agg(host(e.address) ORDER BY e.address), '[]') FROM private_endpoint e
                    WHERE e.service_id = s.id AND e.removed_at IS NULL),
        'ports', (SELECT coalesce(json_agg(json_build_object(
                             'port', p.port,
                             'targets', (SELECT json_agg(json_build_object('address', host(o.address), 'port', o.port) ORDER BY o.ordinal <> m.ordinal, o.ordinal)
                                         FROM private_endpoint_members(s.project_id) o
                                         JOIN private_endpoint_port q ON q.service_id = s.id AND q.cluster_id = o.cluster_id AND q.ordinal = o.ordinal
                                         WHERE o.service_id = s.id AND o.cluster_id = m.cluster_id)) ORDER BY p.port), '[]')
                  FROM private_endpoint_members(s.project_id) m
                  JOIN private_endpoint_port p ON p.service_id = s.id AND p.cluster_id = m.cluster_id AND p.ordinal = m.ordinal
                  WHERE m.service_id = s.id)) ORDER BY s.id), '[]')
    FROM private_endpoint_service s JOIN host_address a ON a.address = s.address
    WHERE s.host_id = p_host AND s.removed_at IS NULL
$$;
REVOKE ALL ON FUNCTION host_relays_goal(bytea) FROM PUBLIC;
