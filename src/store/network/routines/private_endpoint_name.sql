-- The whole name of a service; NULL while there is no zone.
CREATE OR REPLACE FUNCTION private_endpoint_name(s private_endpoint_service) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT private_endpoint_label(s) || '.' || a.hash || '.' || z.name FROM project_access a, dns_zone z WHERE a.project_id = s.project_id
$$;
