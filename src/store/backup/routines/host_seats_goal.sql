-- `seats` of a repository host's goal: what it keeps, for whom, until when, and what it is to remove. Only what is named is ever removed.
-- A snapshot that somebody asks for is taken by each seat that was there, also when another one has it already, unless that is an hour ago: copies are of nearly the same moment.
-- Secrets are sealed; the node that sends the document opens them (fleet/goal_secret.c).
CREATE OR REPLACE FUNCTION host_seats_goal(p_host bytea) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
        'id', encode(t.id, 'hex'),
        'stanza', s.name,
        'clusterId', encode(s.cluster_id, 'hex'),
        'scope', split_part(s.name, '-', 1),
        'majorVersion', s.major_version,
        'ordinal', t.ordinal,
        'desired', t.desired,
        'cipherPass', 'sealed:' || encode(s.id, 'hex') || ':' || encode(s.cipher, 'hex'),
        'clusterAuthority', coalesce((SELECT a.certificate FROM authority a WHERE a.purpose = 'CLUSTER' AND a.cluster_id = s.cluster_id), ''),
        'store', (SELECT json_build_object('endpoint', o.endpoint, 'bucket', o.bucket, 'region', o.region, 'path', o.path, 'folder', t.store_folder,
                                           'uriStyle', o.uri_style, 'authority', o.authority, 'objectLock', o.object_lock,
                                           'storeKeys', 'sealed:' || o.name || ':' || encode(o.keys, 'hex'))
                  FROM object_store o WHERE o.name = t.object_store),
        'members', (SELECT coalesce(json_agg(json_build_object(
                               'id', encode(m.id, 'hex'),
                               'name', member_name(c.set_name, c.host_label, m.ordinal),
                               'address', host(d.address),
                               'port', c.port,
                               'backupPort', 27018) ORDER BY m.ordinal), '[]')
                    FROM cluster c
                    JOIN cluster_member m ON m.cluster_id = c.id
                    JOIN host_address d ON d.member_id = m.id
                    -- A report on a member for analytics would keep a backup from it waiting until it failed.
                    WHERE c.id = s.cluster_id AND t.desired = 'RUNNING' AND m.desired = 'RUNNING' AND NOT m.analytics),
        'schedule', CASE WHEN t.desired = 'RUNNING' THEN backup_schedule_goal(t, s.project_id, s.cluster_id) END,
        'wanted', (SELECT coalesce(json_agg(json_build_object(
                              'snapshotId', encode(n.id, 'hex'), 'type', 'FULL', 'expiresAt', api_date(n.expires_at)) ORDER BY n.id), '[]')
                   FROM snapshot n
                   WHERE n.stanza_id = s.id AND n.origin = 'ON_DEMAND' AND n.hidden_at IS NULL
                     AND (n.state IN ('QUEUED', 'IN_PROGRESS') OR (n.state = 'COMPLETED' AND n.created_at >= greatest(t.created_at, now() - interval '1 hour')))
                     AND t.desired = 'RUNNING' AND seat_takes(t, 'ON_DEMAND')
                     AND NOT EXISTS (SELECT FROM snapshot_copy y WHERE y.snapshot_id = n.id AND y.seat_id = t.id AND y.state <> 'IN_PROGRESS')),
        'drill', CASE WHEN t.desired <> 'REMOVED' THEN drill_goal(t.id) END,
        'export', CASE WHEN t.desired <> 'REMOVED' THEN export_goal(t.id) END,
        'download', download_goal(t.id),
        'protect', (SELECT coalesce(json_agg(json_build_object(
                               'snapshotId', encode(n.id, 'hex'), 'until', api_date(n.protected_until)) ORDER BY n.id), '[]')
                    FROM snapshot n WHERE n.stanza_id = s.id AND n.protected_until > now()
                      AND (NOT t.is_copy OR EXISTS (SELECT FROM snapshot_copy y WHERE y.snapshot_id = n.id AND y.seat_id = t.id))),
        'remove', (SELECT coalesce(json_agg(json_build_object(
                              'snapshotId', encode(y.snapshot_id, 'hex'), 'label', y.label) ORDER BY y.label DESC), '[]')
                   FROM snapshot_copy y WHERE y.seat_id = t.id AND y.state = 'REMOVING' AND y.label IS NOT NULL))) ORDER BY t.id), '[]')
    FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
    WHERE t.host_id = p_host
$$;
REVOKE ALL ON FUNCTION host_seats_goal(bytea) FROM PUBLIC;
