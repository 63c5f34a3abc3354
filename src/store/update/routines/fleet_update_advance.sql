-- What the job of a rollout does again and again for its canaries, and then for the others: learns of clusters that ended without a word, stops at the first that
-- failed, or when no canary was updated, adds the job of each cluster, and wakes as many as may begin.
CREATE OR REPLACE FUNCTION fleet_update_advance(p_update bytea, p_canaries boolean, p_kind text, p_first_step text, p_steps int)
RETURNS TABLE (update_state text, problem text, clusters_left bigint, clusters_done bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v fleet_update;
    v_problem text;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'fleets are updated by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO v FROM fleet_update WHERE id = p_update FOR UPDATE;
    UPDATE fleet_update_cluster u
    SET state = CASE WHEN c.id IS NULL THEN 'SKIPPED' ELSE 'FAILED' END, finished_at = now(),
        problem = CASE WHEN c.id IS NULL THEN 'It was deleted.' ELSE 'Its job was cancelled.' END
    FROM fleet_update_cluster o LEFT JOIN cluster c ON c.id = o.cluster_id
    WHERE u.update_id = p_update AND o.update_id = u.update_id AND o.cluster_id = u.cluster_id AND u.state IN ('QUEUED', 'RUNNING')
      AND NOT EXISTS (SELECT FROM job j WHERE j.id = u.job_id AND j.state IN ('QUEUED', 'RUNNING'));
    SELECT u.name || ': ' || u.problem INTO v_problem FROM fleet_update_cluster u WHERE u.update_id = p_update AND u.state = 'FAILED' ORDER BY u.finished_at LIMIT 1;
    -- Nobody has seen yet what the new version does when every canary was left out.
    IF v_problem IS NULL THEN
        SELECT 'No canary was updated. ' || string_agg(u.name || ': ' || u.problem, ' ' ORDER BY u.position) INTO v_problem
        FROM fleet_update_cluster u WHERE u.update_id = p_update AND u.is_canary HAVING bool_and(u.state = 'SKIPPED');
    END IF;
    IF v_problem IS NOT NULL AND v.state = 'RUNNING' THEN
        v.state := 'STOPPED';
        UPDATE fleet_update f SET state = 'STOPPED', problem = v_problem WHERE f.id = p_update;
    END IF;
    IF v.state = 'RUNNING' THEN
        WITH added AS (
            INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, step, step_count, payload)
            SELECT reeve_new_id(c.id), c.org_id, c.project_id, p_kind, c.id, c.name, p_first_step, p_steps, jsonb_build_object('update', encode(p_update, 'hex'), 'ignoresWindow', v.ignores_window)
            FROM fleet_update_cluster u JOIN cluster c ON c.id = u.cluster_id
            WHERE u.update_id = p_update AND u.state = 'WAITING' AND u.is_canary = p_canaries ORDER BY u.position
            RETURNING id, subject)
        UPDATE fleet_update_cluster u SET state = 'QUEUED', job_id = a.id, problem = NULL, moved_at = NULL FROM added a WHERE u.update_id = p_update AND u.cluster_id = a.subject;
        -- A cluster that was deleted before its turn has nobody to say so.
        UPDATE fleet_update_cluster u SET state = 'SKIPPED', problem = 'It was deleted.', finished_at = now()
        WHERE u.update_id = p_update AND u.state = 'WAITING' AND u.is_canary = p_canaries;
        PERFORM pg_notify('reeve_job', encode(n.cluster_id, 'hex')) FROM (
            SELECT u.cluster_id FROM fleet_update_cluster u WHERE u.update_id = p_update AND u.state = 'QUEUED' ORDER BY u.position
            LIMIT greatest(0, v.at_a_time - (SELECT count(*) FROM fleet_update_cluster r WHERE r.update_id = p_update AND r.state = 'RUNNING'))) n;
    END IF;
    RETURN QUERY SELECT coalesce(v.state, 'DONE'), v_problem, count(*) FILTER (WHERE u.state IN ('WAITING', 'QUEUED', 'RUNNING')), count(*) FILTER (WHERE u.state = 'DONE')
        FROM fleet_update_cluster u WHERE u.update_id = p_update AND u.is_canary = p_canaries;
END $$;
REVOKE ALL ON FUNCTION fleet_update_advance(bytea, boolean, text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_update_advance(bytea, boolean, text, text, integer) TO reeve_tenant;
