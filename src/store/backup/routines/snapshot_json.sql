-- A snapshot as the API shows it: in the form of backups, in the older one ('legacy') or in that of flex clusters ('flex'). Transactions of tenants,
-- which see no hosts, use it as well.
CREATE OR REPLACE FUNCTION snapshot_json(p_snapshot snapshot, p_form text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT jsonb_strip_nulls(CASE p_form
        WHEN 'flex' THEN jsonb_build_object(
            'id', encode(p_snapshot.id, 'hex'),
            'status', CASE p_snapshot.state WHEN 'IN_PROGRESS' THEN 'RUNNING' ELSE p_snapshot.state END,
            'dbVersion', p_snapshot.server_version,
            'scheduledTime', api_date(p_snapshot.created_at),
            'startTime', api_date(c.started_at),
            'finishTime', api_date(p_snapshot.finished_at),
            'expiration', api_date(p_snapshot.expires_at))
        WHEN 'legacy' THEN jsonb_build_object(
            'id', encode(p_snapshot.id, 'hex'),
            'clusterId', encode(p_snapshot.cluster_id, 'hex'),
            'clusterName', t.cluster_name,
            'groupId', encode(p_snapshot.project_id, 'hex'),
            'complete', p_snapshot.state = 'COMPLETED',
            'incremental', coalesce(c.type = 'INCR', false),
            'doNotDelete', p_snapshot.expires_at IS NULL,
            'expires', api_date(p_snapshot.expires_at),
            'created', jsonb_build_object('date', api_date(p_snapshot.created_at)),
            'parts', jsonb_build_array(jsonb_build_object(
                'replicaSetName', split_part(t.name, '-', 1),
                'typeName', 'REPLICA_SET',
                'serverVersion', p_snapshot.server_version,
                'completedTime', api_date(p_snapshot.finished_at),
                'dataSizeBytes', p_snapshot.size_bytes,
                'storageSizeBytes', p_snapshot.storage_bytes)))
        ELSE jsonb_build_object(
            'id', encode(p_snapshot.id, 'hex'),
            'status', CASE p_snapshot.state WHEN 'IN_PROGRESS' THEN 'inProgress' ELSE lower(p_snapshot.state) END,
            'snapshotType', CASE p_snapshot.origin WHEN 'ON_DEMAND' THEN 'onDemand' ELSE 'scheduled' END,
            'type', 'replicaSet',
            'description', p_snapshot.description,
            'frequencyType', p_snapshot.frequency,
            'policyItems', (SELECT jsonb_agg(encode(i, 'hex') ORDER BY n) FROM unnest(p_snapshot.policy_items) WITH ORDINALITY u (i, n)),
            'createdAt', api_date(p_snapshot.created_at),
            'expiresAt', api_date(p_snapshot.expires_at),
            'serverVersion', p_snapshot.server_version,
            'storageSizeBytes', p_snapshot.storage_bytes,
            'replicaSetName', split_part(t.name, '-', 1),
            'cloudProvider', (SELECT h.provider FROM stanza_seat e JOIN host h ON h.id = e.host_id WHERE e.stanza_id = t.id ORDER BY e.ordinal LIMIT 1),
            'copyRegions', (SELECT jsonb_agg(h.region ORDER BY e.ordinal) FROM snapshot_copy o JOIN stanza_seat e ON e.id = o.seat_id JOIN host h ON h.id = e.host_id
                            WHERE o.snapshot_id = p_snapshot.id AND o.state = 'COMPLETED' AND e.is_copy AND e.desired <> 'REMOVED'))
        END)::text
    FROM backup_stanza t
    LEFT JOIN LATERAL (SELECT o.started_at, o.type FROM snapshot_copy o JOIN stanza_seat e ON e.id = o.seat_id
                       WHERE o.snapshot_id = p_snapshot.id ORDER BY e.ordinal LIMIT 1) c ON true
    WHERE t.id = p_snapshot.stanza_id AND t.org_id = p_snapshot.org_id
$$;
REVOKE ALL ON FUNCTION snapshot_json(snapshot, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION snapshot_json(snapshot, text) TO reeve_reader, reeve_tenant;
