-- Under which names clients of private endpoints reach the members of a project; members' certificates hold them.
CREATE OR REPLACE FUNCTION private_endpoint_names(p_project bytea, p_domain text) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(array_agg(private_endpoint_label(s) || '.' || a.hash || '.' || p_domain ORDER BY s.number), '{}')
    FROM private_endpoint_service s JOIN project_access a ON a.project_id = s.project_id
    WHERE s.project_id = p_project AND s.removed_at IS NULL
$$;
REVOKE ALL ON FUNCTION private_endpoint_names(bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION private_endpoint_names(bytea, text) TO reeve_tenant, reeve_reader;
