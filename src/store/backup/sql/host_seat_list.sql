-- The seats on a host, as its agent reported them last.
-- scope: none, because hosts are the operator's and keep backups of many organizations
SELECT coalesce(json_agg(json_build_object(
    'id', encode(t.id, 'hex'),
    'stanza', s.name,
    'clusterId', encode(s.cluster_id, 'hex'),
    'clusterName', s.cluster_name,
    'projectId', encode(s.project_id, 'hex'),
    'ordinal', t.ordinal,
    'objectStore', t.object_store,
    'reservedGb', t.reserved_gb,
    'desired', t.desired,
    'unit', t.unit,
    'lagBytes', t.lag_bytes,
    'lagMs', t.lag_ms,
    'windowFrom', api_date(t.window_from),
    'windowTo', api_date(t.window_to),
    'usedBytes', t.used_bytes,
    'problem', t.problem,
    'reportedAt', api_date(t.reported_at)) ORDER BY t.id), '[]')::text AS json
FROM host h
JOIN stanza_seat t ON t.host_id = h.id
JOIN backup_stanza s ON s.id = t.stanza_id
WHERE h.name = :host
