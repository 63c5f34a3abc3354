-- The members on a host, as its agent reported them last.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT coalesce(json_agg(json_build_object(
    'id', encode(m.id, 'hex'),
    'name', member_name(c.set_name, c.host_label, m.ordinal),
    'clusterId', encode(m.cluster_id, 'hex'),
    'clusterName', c.name,
    'projectId', encode(c.project_id, 'hex'),
    'address', host(a.address),
    'desired', m.desired,
    'unit', m.unit,
    'role', m.role,
    'running', m.running,
    'size', m.size,
    'lagBytes', m.lag_bytes,
    'version', m.version,
    'problem', m.problem,
    'reportedAt', api_date(m.reported_at)) ORDER BY m.id), '[]')::text AS json
FROM host h
JOIN cluster_member m ON m.host_id = h.id
JOIN cluster c ON c.id = m.cluster_id
LEFT JOIN host_address a ON a.member_id = m.id
WHERE h.name = :host
