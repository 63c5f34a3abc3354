-- A new service: an address on a relay host of the region. NULL, or why there is none:
--   REGION    there is no such region
--   REMOTE    one of the further regions is none of this provider
--   REGIONAL  the project has a service in another region, and not the regional mode
--   NO_ROOM   no relay host of the region has an address left
CREATE OR REPLACE FUNCTION private_endpoint_service_add(p_id bytea, p_project bytea, p_provider text, p_region text, p_remote text[]) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_org bytea;
    v_place host_address;
BEGIN
    SELECT p.org_id INTO v_org FROM project p WHERE p.id = p_project AND reeve_acts_for(p.org_id);
    IF NOT FOUND OR NOT EXISTS (SELECT FROM region r WHERE r.provider = p_provider AND r.name = p_region) THEN
        RETURN 'REGION';
    END IF;
    IF private_endpoint_has_unknown_region(p_provider, p_remote) THEN
        RETURN 'REMOTE';
    END IF;
    IF EXISTS (SELECT FROM private_endpoint_service s WHERE s.project_id = p_project AND (s.provider, s.region) <> (p_provider, p_region))
       AND NOT EXISTS (SELECT FROM resource r WHERE r.scope = p_project AND r.kind = 'privateEndpointRegionalMode' AND r.name = ''
                         AND (r.document -> 'enabled')::boolean) THEN
        RETURN 'REGIONAL';
    END IF;
    PERFORM placement_lock();
    SELECT a.* INTO v_place FROM host h JOIN host_address a ON a.host_id = h.id
        WHERE h.state = 'ACTIVE' AND h.purpose = 'RELAY' AND h.provider = p_provider AND h.region = p_region
          AND NOT EXISTS (SELECT FROM private_endpoint_service s WHERE s.address = a.address)
        ORDER BY h.last_seen_at IS NULL OR h.last_seen_at < now() - interval '1 minute', -- silent ones only when there is no other
                 (SELECT count(*) FROM private_endpoint_service s WHERE s.host_id = h.id), h.id, a.address
        LIMIT 1;
    IF NOT FOUND THEN
        RETURN 'NO_ROOM';
    END IF;
    PERFORM project_access_make(p_project); -- its name needs the project's label
    INSERT INTO private_endpoint_service (id, org_id, project_id, provider, region, number, remote_regions, host_id, address)
        SELECT p_id, v_org, p_project, p_provider, p_region, coalesce(max(s.number) + 1, 0), p_remote, v_place.host_id, v_place.address
        FROM private_endpoint_service s WHERE s.project_id = p_project;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION private_endpoint_service_add(bytea, bytea, text, text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION private_endpoint_service_add(bytea, bytea, text, text, text[]) TO reeve_tenant;
