-- A drill as the API shows it. Transactions of tenants, which see no hosts, use it as well.
CREATE OR REPLACE FUNCTION drill_json(p_drill drill) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'id', encode(p_drill.id, 'hex'),
        'clusterName', t.cluster_name,
        'stanza', t.name,
        'origin', p_drill.origin,
        'state', p_drill.state,
        'problem', p_drill.problem,
        'regionName', (SELECT h.region FROM stanza_seat e JOIN host h ON h.id = e.host_id WHERE e.id = p_drill.seat_id),
        'requestedAt', api_date(p_drill.requested_at),
        'startedAt', api_date(p_drill.started_at),
        'finishedAt', api_date(p_drill.finished_at),
        'backupLabel', p_drill.label,
        'recoveryPoint', api_date(p_drill.recovery_point),
        'recoveryTimeMillis', p_drill.rto_ms,
        'dataSizeBytes', p_drill.data_bytes,
        'serverVersion', p_drill.server_version,
        'phases', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', e ->> 'name', 'startedAt', api_date((e ->> 'startedAt')::timestamptz), 'millis', (e -> 'ms')) ORDER BY n), '[]')
                   FROM jsonb_array_elements(p_drill.phases) WITH ORDINALITY u (e, n)),
        'checks', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', e ->> 'name', 'databaseName', e ->> 'database', 'result', e ->> 'result', 'sentence', e ->> 'sentence',
                                                                'tables', e -> 'tables', 'rows', e -> 'rows') ORDER BY n), '[]')
                   FROM jsonb_array_elements(p_drill.checks) WITH ORDINALITY u (e, n))))::text
    FROM backup_stanza t WHERE t.id = p_drill.stanza_id AND t.org_id = p_drill.org_id
$$;
REVOKE ALL ON FUNCTION drill_json(drill) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drill_json(drill) TO reeve_reader, reeve_tenant;
