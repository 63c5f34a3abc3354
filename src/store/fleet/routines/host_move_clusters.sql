-- Has a job move each cluster that has a member on the host, unless one is at it; how many members there still are. Clusters of many
-- tenants have members on one host, so only the service may, and only for a host that no new member comes to: one that is being
-- emptied, or that was given up and has nobody left who could say anything.
CREATE OR REPLACE FUNCTION host_move_clusters(p_host bytea, p_kind text, p_first_step text, p_steps int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_added bigint;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'hosts are emptied by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    WITH added AS (
        INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, step, step_count)
        SELECT reeve_new_id(c.id), c.org_id, c.project_id, p_kind, c.id, c.name, p_first_step, p_steps
        FROM cluster c
        WHERE EXISTS (SELECT FROM cluster_member m JOIN host h ON h.id = m.host_id
                      WHERE m.cluster_id = c.id AND m.host_id = p_host AND h.state IN ('DRAINING', 'REMOVED'))
          AND NOT EXISTS (SELECT FROM job j WHERE j.subject = c.id AND j.kind = p_kind AND j.state IN ('QUEUED', 'RUNNING'))
        RETURNING subject)
    SELECT count(pg_notify('reeve_job', encode(a.subject, 'hex'))) INTO v_added FROM added a;
    -- One that the operator has activated again may keep them.
    RETURN (SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.host_id = p_host
            AND h.state IN ('DRAINING', 'REMOVED'));
END $$;
REVOKE ALL ON FUNCTION host_move_clusters(bytea, text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_move_clusters(bytea, text, text, integer) TO reeve_tenant;
