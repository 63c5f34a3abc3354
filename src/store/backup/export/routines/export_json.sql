-- An export as the API shows it.
CREATE OR REPLACE FUNCTION export_json(p_export export_job) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'id', encode(p_export.id, 'hex'),
        'exportBucketId', encode(p_export.bucket_id, 'hex'),
        'snapshotId', encode(p_export.snapshot_id, 'hex'),
        'format', p_export.format,
        'customData', p_export.custom_data,
        'state', CASE p_export.state WHEN 'RUNNING' THEN 'InProgress' WHEN 'SUCCEEDED' THEN 'Successful' WHEN 'FAILED' THEN 'Failed'
                                     WHEN 'CANCELLED' THEN 'Cancelled' ELSE 'Queued' END,
        'stateReason', CASE WHEN p_export.problem IS NOT NULL
                            THEN jsonb_build_object('errorCode', coalesce(p_export.code, 'EXPORT_WAITS'), 'message', p_export.problem) END,
        'exportStatus', CASE WHEN p_export.tables_total IS NOT NULL
                             THEN jsonb_build_object('exportedCollections', coalesce(p_export.tables_done, 0), 'totalCollections', p_export.tables_total) END,
        'prefix', p_export.prefix,
        'createdAt', api_date(p_export.created_at),
        'finishedAt', api_date(p_export.finished_at)))::text
$$;
