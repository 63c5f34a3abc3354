-- What of a project uses one of its roles, as the API shows it.
CREATE OR REPLACE FUNCTION provider_role_usages(p_project bytea, p_role text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
               'featureType', CASE r.kind WHEN 'backupExportBucket' THEN 'EXPORT_SNAPSHOT' WHEN 'logIntegration' THEN 'LOG_INTEGRATION' ELSE 'PUSH_BASED_LOG_EXPORT' END,
               'featureId', encode(r.id, 'hex')) ORDER BY r.created_at, r.id), '[]')
    FROM resource r
    WHERE r.scope = p_project AND r.kind IN ('backupExportBucket', 'logIntegration', 'pushBasedLogExport') AND r.document ->> 'iamRoleId' = p_role
$$;
