-- `export` of a seat in its host's goal: the one that it is to run; NULL when there is none. The keys of the bucket, or of the role that it is written to with, are sealed; the node that sends the
-- document opens them (fleet/goal_secret.c).
CREATE OR REPLACE FUNCTION export_goal(p_seat bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object('id', encode(x.id, 'hex'), 'limitSeconds', 86400, 'snapshotId', encode(x.snapshot_id, 'hex'), 'snapshotAt', api_date(x.snapshot_at),
                             'label', c.label, 'clusterName', t.cluster_name, 'prefix', x.prefix, 'format', x.format, 'customData', x.custom_data,
                             'serviceUrl', b.document ->> 'serviceUrl', 'bucket', b.document ->> 'bucketName', 'region', b.document ->> 'region',
                             'exportKeys', 'sealed:' || CASE WHEN b.document ? 'iamRoleId' THEN provider_role_sealed(b.scope, b.document ->> 'iamRoleId')
                                                                  ELSE encode(b.id, 'hex') || ':' || (b.document -> 'internal' ->> 'secrets') END)
    FROM export_job x
    JOIN backup_stanza t ON t.id = x.stanza_id
    JOIN snapshot_copy c ON c.snapshot_id = x.snapshot_id AND c.seat_id = x.seat_id
    JOIN resource b ON b.scope = x.project_id AND b.kind = 'backupExportBucket' AND b.id = x.bucket_id
    WHERE x.seat_id = p_seat AND x.finished_at IS NULL AND x.given_at IS NOT NULL
    ORDER BY x.given_at LIMIT 1
$$;
REVOKE ALL ON FUNCTION export_goal(bytea) FROM PUBLIC;
