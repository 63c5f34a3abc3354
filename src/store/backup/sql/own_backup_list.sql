-- Where this database itself is backed up, as the hosts say, and how much would be lost now.
-- scope: none, because it is the operator's
SELECT coalesce(json_agg(json_build_object(
    'host', h.name,
    'state', own_backup_state(b),
    'unit', b.unit,
    'lagBytes', b.lag_bytes,
    'lagMs', b.lag_ms,
    'windowFrom', api_date(b.window_from),
    'windowTo', api_date(b.window_to),
    'behindS', CASE WHEN b.window_to IS NOT NULL THEN greatest(0, extract(epoch FROM now() - b.window_to))::bigint END,
    'backups', b.backups,
    'newestBackupAt', api_date(b.newest_backup_at),
    'usedBytes', b.used_bytes,
    'drillState', b.drill ->> 'state',
    'drillProblem', b.drill ->> 'problem',
    'drillFinishedAt', b.drill ->> 'finishedAt',
    'recoveryPoint', b.drill ->> 'recoveryPoint',
    'recoveryTimeMillis', (b.drill ->> 'rtoMs')::bigint,
    'problem', b.problem,
    'reportedAt', api_date(b.reported_at)) ORDER BY h.name), '[]')::text AS json
FROM own_backup b
JOIN host h ON h.id = b.host_id
WHERE h.state <> 'REMOVED'
