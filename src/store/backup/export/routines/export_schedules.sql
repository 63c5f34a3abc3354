-- Schedules that export snapshots: since when which, where to, and in which form. For the service only, which sees no schedules of tenants otherwise.
CREATE OR REPLACE FUNCTION export_schedules() RETURNS TABLE (project_id bytea, cluster_id bytea, bucket_id bytea, frequency text, items bytea[], since timestamptz, format text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT r.scope::bytea, decode(r.name, 'hex'), b.id::bytea, r.document -> 'export' ->> 'frequencyType',
           ARRAY(SELECT decode(i ->> 'id', 'hex') FROM jsonb_array_elements(r.document -> 'policies') p, jsonb_array_elements(p -> 'policyItems') i
                 WHERE i -> 'frequencyType' = r.document -> 'export' -> 'frequencyType'),
           (r.document ->> 'exportSince')::timestamptz, coalesce(r.document -> 'export' ->> 'format', 'DUMP')
    FROM resource r JOIN resource b ON b.scope = r.scope AND b.kind = 'backupExportBucket' AND b.name = r.document -> 'export' ->> 'exportBucketId'
    WHERE r.kind = 'backupSchedule' AND r.document -> 'autoExportEnabled' = 'true' AND reeve_is_service()
$$;
REVOKE ALL ON FUNCTION export_schedules() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION export_schedules() TO reeve_tenant;
