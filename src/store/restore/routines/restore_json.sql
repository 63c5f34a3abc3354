-- A restore or a download as the API shows it: in the form of backups, in the older one ('legacy') or in that of flex clusters ('flex'). The address of a download is
-- a secret, and not in here.
CREATE OR REPLACE FUNCTION restore_json(p_restore restore_job, p_form text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(CASE p_form
        WHEN 'flex' THEN jsonb_build_object(
            'id', encode(p_restore.id, 'hex'),
            'snapshotId', encode(p_restore.snapshot_id, 'hex'),
            'targetDeploymentItemName', p_restore.target_name,
            'targetProjectId', encode(p_restore.target_project_id, 'hex'),
            'deliveryType', CASE p_restore.delivery WHEN 'DOWNLOAD' THEN 'DOWNLOAD' ELSE 'RESTORE' END,
            'status', CASE p_restore.state WHEN 'DONE' THEN 'COMPLETED' WHEN 'FAILED' THEN 'FAILED' WHEN 'CANCELLED' THEN 'FAILED' ELSE 'RUNNING' END,
            'instanceName', p_restore.cluster_name,
            'projectId', encode(p_restore.project_id, 'hex'),
            'snapshotFinishedDate', api_date(p_restore.snapshot_at),
            'restoreScheduledDate', api_date(p_restore.created_at),
            'restoreFinishedDate', api_date(p_restore.finished_at),
            'expirationDate', (SELECT api_date(d.expires_at) FROM download d WHERE d.restore_id = p_restore.id))
        WHEN 'legacy' THEN jsonb_build_object(
            'id', encode(p_restore.id, 'hex'),
            'snapshotId', encode(p_restore.snapshot_id, 'hex'),
            'clusterId', encode(p_restore.cluster_id, 'hex'),
            'clusterName', p_restore.cluster_name,
            'groupId', encode(p_restore.project_id, 'hex'),
            'batchId', encode(p_restore.id, 'hex'),
            'created', api_date(p_restore.created_at),
            'statusName', CASE p_restore.state WHEN 'DONE' THEN 'FINISHED' WHEN 'FAILED' THEN 'BROKEN' WHEN 'CANCELLED' THEN 'KILLED' ELSE 'IN_PROGRESS' END,
            'delivery', jsonb_build_object(
                'methodName', CASE p_restore.delivery WHEN 'DOWNLOAD' THEN 'HTTP' ELSE 'AUTOMATED_RESTORE' END,
                'expires', (SELECT api_date(d.expires_at) FROM download d WHERE d.restore_id = p_restore.id),
                'targetClusterName', p_restore.target_name,
                'targetClusterId', encode(p_restore.target_id, 'hex'),
                'targetGroupId', encode(p_restore.target_project_id, 'hex'),
                'statusName', CASE p_restore.state WHEN 'DONE' THEN 'READY' WHEN 'FAILED' THEN 'FAILED' WHEN 'CANCELLED' THEN 'INTERRUPTED' ELSE 'IN_PROGRESS' END))
        ELSE jsonb_build_object(
            'id', encode(p_restore.id, 'hex'),
            'deliveryType', CASE WHEN p_restore.delivery = 'DOWNLOAD' THEN 'download' WHEN p_restore.point = 'SNAPSHOT' THEN 'automated' ELSE 'pointInTime' END,
            'snapshotId', encode(p_restore.snapshot_id, 'hex'),
            'timestamp', api_date(p_restore.snapshot_at),
            'pointInTimeUTCSeconds', floor(extract(epoch FROM p_restore.point_at))::bigint,
            'pointInTimeLsn', p_restore.point_lsn,
            'latest', CASE WHEN p_restore.point = 'LATEST' THEN true END,
            'targetClusterName', p_restore.target_name,
            'targetGroupId', encode(p_restore.target_project_id, 'hex'),
            'cancelled', p_restore.state = 'CANCELLED' OR p_restore.cancelled_at IS NOT NULL,
            'failed', p_restore.state = 'FAILED',
            'expired', EXISTS (SELECT FROM download d
                               WHERE d.restore_id = p_restore.id AND p_restore.state = 'DONE' AND (d.ended_at IS NOT NULL OR d.expires_at <= now())),
            'expiresAt', (SELECT api_date(d.expires_at) FROM download d WHERE d.restore_id = p_restore.id),
            'downloadBytes', (SELECT d.file_bytes FROM download d WHERE d.restore_id = p_restore.id),
            'downloadSha256', (SELECT d.sha256 FROM download d WHERE d.restore_id = p_restore.id),
            'state', p_restore.state,
            'problem', p_restore.problem,
            'restoredBytes', (SELECT max(m.done_bytes) FROM restore_member m WHERE m.restore_id = p_restore.id),
            'totalBytes', (SELECT max(m.total_bytes) FROM restore_member m WHERE m.restore_id = p_restore.id),
            'reachedAt', to_char(p_restore.reached_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'reachedLsn', p_restore.reached_lsn,
            'finishedAt', api_date(p_restore.finished_at))
        END)::text
$$;
