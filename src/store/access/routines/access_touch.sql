-- Something changed in who may reach the project's clusters: the hosts that have a member of them get a new goal. Returns the
-- new generation; NULL when there is no such project.
CREATE OR REPLACE FUNCTION access_touch(p_project bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_generation bigint;
BEGIN
    IF project_access_make(p_project) IS NULL THEN
        RETURN NULL;
    END IF;
    UPDATE project_access a SET generation = a.generation + 1 WHERE a.project_id = p_project
        RETURNING a.generation INTO v_generation;
    PERFORM private_endpoint_ports_keep(p_project);
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
                                   WHERE c.project_id = p_project
                                   UNION ALL SELECT s.host_id::bytea FROM private_endpoint_service s WHERE s.project_id = p_project));
    RETURN v_generation;
END $$;
REVOKE ALL ON FUNCTION access_touch(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access_touch(bytea) TO reeve_tenant;
