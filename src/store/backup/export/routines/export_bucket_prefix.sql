-- What the names of all objects begin with that are written to a bucket: of one with a role, the role's prefix. For whoever asks for an export; the service, which sees nothing of
-- tenants otherwise, asks for those of all.
CREATE OR REPLACE FUNCTION export_bucket_prefix(p_project bytea, p_bucket bytea) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce((SELECT b.document ->> 'prefixPath' FROM resource b
                     WHERE b.scope = p_project AND b.kind = 'backupExportBucket' AND b.id = p_bucket AND (b.org_id = reeve_organization() OR reeve_is_service())), '')
$$;
REVOKE ALL ON FUNCTION export_bucket_prefix(bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION export_bucket_prefix(bytea, bytea) TO reeve_tenant;
