-- How an endpoint looks in the API: it is INITIATING until its relay lets it in, and then waits until every member of the project lets the relay in.
CREATE OR REPLACE FUNCTION private_endpoint_json(e private_endpoint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', e.name,
        'privateEndpointIPAddress', host(e.address),
        'cloudProvider', s.provider,
        'deleteRequested', e.removed_at IS NOT NULL,
        'status', CASE WHEN e.removed_at IS NOT NULL THEN 'DELETING' WHEN s.state = 'FAILED' THEN 'FAILED' WHEN NOT e.is_open THEN 'INITIATING'
                       WHEN EXISTS (SELECT FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
                                    WHERE c.project_id = s.project_id AND m.desired = 'RUNNING' AND m.role <> 'NONE'
                                      AND coalesce(m.applied_access, 0) < e.access_generation) THEN 'PENDING_ACCEPTANCE'
                       ELSE 'AVAILABLE' END,
        'errorMessage', s.problem))::text
    FROM private_endpoint_service s WHERE s.id = e.service_id
$$;
