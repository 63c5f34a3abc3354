-- The names of private endpoint services, and for each cluster one that leads to the ports of its members.
CREATE OR REPLACE VIEW private_endpoint_records AS
SELECT private_endpoint_label(s) || '.' || a.hash || '.' || z.name AS name, CASE family(s.address) WHEN 4 THEN 'A' ELSE 'AAAA' END AS type, host(s.address) AS content,
       NULL::int AS prio
FROM private_endpoint_service s JOIN project_access a ON a.project_id = s.project_id CROSS JOIN dns_zone z
WHERE s.removed_at IS NULL
UNION ALL
SELECT '_postgresql._tcp.' || t.name, 'SRV', '0 ' || p.port || ' ' || t.target, 0
FROM private_endpoint_targets t
JOIN LATERAL private_endpoint_members(t.project_id) m ON m.service_id = t.service_id AND m.cluster_id = t.cluster_id
JOIN private_endpoint_port p ON p.service_id = t.service_id AND p.cluster_id = t.cluster_id AND p.ordinal = m.ordinal;
