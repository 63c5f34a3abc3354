-- Every member that a service of the project leads to has a port there: the lowest that is free, and from then on the same. There are 2,048, as many as a goal may have
-- (GOAL_MAX_RELAY_PORTS); members beyond are not reached by the service.
CREATE OR REPLACE FUNCTION private_endpoint_ports_keep(p_project bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_new record;
BEGIN
    PERFORM FROM private_endpoint_service s WHERE s.project_id = p_project ORDER BY s.id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR v_new IN SELECT m.service_id, m.cluster_id, m.ordinal, c.org_id
                 FROM private_endpoint_members(p_project) m JOIN cluster c ON c.id = m.cluster_id
                 WHERE NOT EXISTS (SELECT FROM private_endpoint_port p
                                   WHERE p.service_id = m.service_id AND p.cluster_id = m.cluster_id AND p.ordinal = m.ordinal)
                 ORDER BY c.created_at, m.cluster_id, m.ordinal LOOP
        INSERT INTO private_endpoint_port (service_id, cluster_id, org_id, ordinal, port)
            SELECT v_new.service_id, v_new.cluster_id, v_new.org_id, v_new.ordinal, min(n)
            FROM generate_series(1024, 1024 + 2048 - 1) n
            WHERE NOT EXISTS (SELECT FROM private_endpoint_port p WHERE p.service_id = v_new.service_id AND p.port = n)
            HAVING min(n) IS NOT NULL;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION private_endpoint_ports_keep(bytea) FROM PUBLIC;
