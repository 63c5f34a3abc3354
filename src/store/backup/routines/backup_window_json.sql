-- What of a cluster can be restored without a gap: from each seat of its newest stanza, and from all of them together. NULL when nothing is kept of it.
CREATE OR REPLACE FUNCTION backup_window_json(p_project bytea, p_cluster bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'from', api_date(b.window_from),
        'to', api_date(b.window_to),
        'lagSeconds', CASE t.state WHEN 'OPEN' THEN greatest(0, ceil(extract(epoch FROM now() - b.window_to)))::bigint END,
        'lastProven', (SELECT jsonb_build_object('drillId', encode(d.id, 'hex'), 'at', api_date(d.finished_at), 'recoveryPoint', api_date(d.recovery_point),
                                                 'recoveryTimeMillis', d.rto_ms)
                       FROM drill d WHERE d.project_id = p_project AND d.cluster_id = p_cluster AND d.stanza_id = t.id AND d.state = 'PASSED'
                       ORDER BY d.finished_at DESC, d.id DESC LIMIT 1),
        'stanza', t.name,
        'state', t.state,
        'seats', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                             'id', encode(e.id, 'hex'),
                             'regionName', h.region,
                             'cloudProvider', h.provider,
                             'isCopy', e.is_copy,
                             'state', CASE WHEN e.desired <> 'RUNNING' THEN e.desired WHEN e.reported_at IS NULL THEN 'WAITING'
                                           WHEN e.problem IS NULL AND e.unit = 'active' AND e.reported_at > now() - interval '5 minutes' THEN 'WORKING' ELSE 'FAILING' END,
                             'problem', CASE WHEN e.desired = 'RUNNING' AND e.reported_at <= now() - interval '5 minutes'
                                             THEN 'The repository host says nothing.' ELSE e.problem END,
                             'from', api_date(e.window_from),
                             'to', api_date(e.window_to),
                             'lagMillis', e.lag_ms,
                             'lagBytes', e.lag_bytes,
                             'receivedLsn', e.received_lsn,
                             'timeline', e.timeline,
                             'usedBytes', e.used_bytes,
                             'reportedAt', api_date(e.reported_at),
                             'spans', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                                                  'from', api_date(w.from_at), 'to', api_date(w.to_at), 'fromLsn', w.from_lsn, 'toLsn', w.to_lsn,
                                                  'fromTimeline', w.from_timeline, 'toTimeline', w.to_timeline, 'endedBy', w.ended_by) ORDER BY w.ordinal), '[]')
                                       FROM wal_span w WHERE w.seat_id = e.id)) ORDER BY e.ordinal), '[]')
                  FROM stanza_seat e JOIN host h ON h.id = e.host_id WHERE e.stanza_id = t.id AND e.desired <> 'REMOVED')))::text
    FROM backup_stanza t
    CROSS JOIN LATERAL backup_window(t.id) b
    WHERE t.project_id = p_project AND t.cluster_id = p_cluster AND t.state <> 'REMOVING'
    ORDER BY t.incarnation DESC LIMIT 1
$$;
