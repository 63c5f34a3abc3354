-- How the service of a region looks in the API. It waits for endpoints once its relay stands.
CREATE OR REPLACE FUNCTION private_endpoint_service_json(s private_endpoint_service) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(s.id, 'hex'),
        'cloudProvider', s.provider,
        'regionName', s.region,
        'status', CASE WHEN s.removed_at IS NOT NULL THEN 'DELETING' WHEN s.state = 'FAILED' THEN 'FAILED' WHEN s.state = 'WAITING' THEN 'INITIATING'
                       WHEN count(e.name) = 0 THEN 'WAITING_FOR_USER' ELSE 'AVAILABLE' END,
        'errorMessage', s.problem,
        'endpointServiceName', private_endpoint_name(s),
        'endpointServiceIPAddress', host(s.address),
        'supportedRemoteRegions', to_json(s.remote_regions),
        'interfaceEndpoints', coalesce(json_agg(e.name ORDER BY e.name) FILTER (WHERE e.name IS NOT NULL), '[]')))::text
    FROM (SELECT) one LEFT JOIN private_endpoint e ON e.service_id = s.id AND e.removed_at IS NULL
$$;
