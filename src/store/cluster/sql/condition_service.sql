-- How workers, jobs and hosts are, as far as the database knows.
-- scope: none, because it is about the whole service
SELECT json_build_object(
    'workerSilentS', (SELECT extract(epoch FROM now() - max(started_at))::bigint FROM sweep),
    'overdueJobs', (SELECT count(*) FROM job WHERE overdue_at IS NOT NULL AND finished_at IS NULL),
    'zone', (SELECT json_build_object('name', name, 'nameserver', nameservers[1]) FROM dns_zone),
    'ownBackups', (SELECT coalesce(json_agg(json_build_object(
            'host', h.name,
            'state', own_backup_state(b),
            'problem', b.problem,
            'drillProblem', b.drill ->> 'problem',
            'behindS', CASE WHEN b.window_to IS NOT NULL THEN greatest(0, extract(epoch FROM now() - b.window_to))::bigint END) ORDER BY h.name), '[]')
        FROM own_backup b JOIN host h ON h.id = b.host_id WHERE h.state <> 'REMOVED'),
    'hosts', (SELECT coalesce(json_agg(json_build_object(
            'name', h.name,
            'silentS', extract(epoch FROM now() - coalesce(h.last_seen_at, h.joined_at))::bigint,
            'patroni', h.facts ->> 'patroniVersion',
            'certificateLeftS', (SELECT extract(epoch FROM max(c.not_after) - now())::bigint FROM certificate c
                                 WHERE c.kind = 'HOST' AND c.owner = encode(h.id, 'hex') AND c.revoked_at IS NULL)) ORDER BY h.name), '[]')
        FROM host h WHERE h.state <> 'REMOVED'))::text AS json
