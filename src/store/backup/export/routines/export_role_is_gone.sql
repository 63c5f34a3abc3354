-- Whether the bucket is written to with a role that the operator has taken away. For the service, which sees nothing of tenants otherwise.
CREATE OR REPLACE FUNCTION export_role_is_gone(p_project bytea, p_bucket bytea) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM resource b WHERE b.scope = p_project AND b.kind = 'backupExportBucket' AND b.id = p_bucket AND b.document ? 'iamRoleId' AND reeve_is_service()
                     AND NOT EXISTS (SELECT FROM provider_role_store(p_project, b.document ->> 'iamRoleId')))
$$;
REVOKE ALL ON FUNCTION export_role_is_gone(bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION export_role_is_gone(bytea, bytea) TO reeve_tenant;
