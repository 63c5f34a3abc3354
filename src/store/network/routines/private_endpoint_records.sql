-- The names of services, and for each cluster one that leads to the ports of its members.
CREATE OR REPLACE VIEW private_endpoint_records AS
SELECT private_endpoint_name(s) AS name, CASE family(s.address) WHEN 4 THEN 'A' ELSE 'AAAA' END AS type, host(s.address) AS content, NULL::int AS prio
FROM private_endpoint_service s WHERE s.removed_at IS NULL AND private_endpoint_name(s) IS NOT NULL
UNION ALL
SELECT '_postgresql._tcp.' || coalesce(c.host_label, c.set_name) || '-' || private_endpoint_name(s), 'SRV', '0 ' || p.port || ' ' || private_endpoint_name(s), 0
FROM private_endpoint_service s
JOIN LATERAL private_endpoint_members(s.project_id) m ON m.service_id = s.id
JOIN private_endpoint_port p ON p.service_id = s.id AND p.cluster_id = m.cluster_id AND p.ordinal = m.ordinal
JOIN cluster c ON c.id = m.cluster_id
WHERE s.removed_at IS NULL AND private_endpoint_name(s) IS NOT NULL;
