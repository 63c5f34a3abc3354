-- Whether the job of a cluster may begin now: GO; FULL: as many as may are at it; LATER: the cluster is not settled, or its window is not open (p_may_begin); or what it comes to at once: STOPPED, DONE, SKIPPED. What has
-- changed since the operator saw the plan counts: a pin, other programs on the hosts. Called with the cluster locked.
CREATE OR REPLACE FUNCTION fleet_update_gate(p_update bytea, p_cluster bytea, p_may_begin boolean) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v fleet_update;
    v_row fleet_update_cluster;
    v_now fleet_versions;
    v_state text := 'SKIPPED';
    v_problem text;
BEGIN
    SELECT * INTO v FROM fleet_update WHERE id = p_update FOR UPDATE;
    SELECT * INTO v_row FROM fleet_update_cluster WHERE update_id = p_update AND cluster_id = p_cluster AND reeve_acts_for(org_id);
    SELECT * INTO v_now FROM fleet_versions f WHERE f.cluster_id = p_cluster;
    IF v_row.state IS DISTINCT FROM 'QUEUED' THEN
        RETURN CASE v_row.state WHEN 'RUNNING' THEN 'GO' ELSE 'SKIPPED' END;
    END IF;
    -- A server that starts has not said its version yet: that passes, or nothing is done with it.
    IF v.state = 'RUNNING' AND v_now.verdict = 'UNKNOWN' AND coalesce(v_row.moved_at, now()) > now() - make_interval(secs => v.patience_s) THEN
        UPDATE fleet_update_cluster SET moved_at = coalesce(moved_at, now()) WHERE update_id = p_update AND cluster_id = p_cluster;
        RETURN 'LATER';
    ELSIF v_now.verdict <> 'UNKNOWN' AND v_row.moved_at IS NOT NULL THEN
        UPDATE fleet_update_cluster SET moved_at = NULL WHERE update_id = p_update AND cluster_id = p_cluster;
    END IF;
    IF v.state <> 'RUNNING' THEN
        v_state := 'WAITING'; -- until somebody continues
    ELSIF v_now.verdict = 'BUSY' THEN
        RETURN 'LATER';
    ELSIF v_now.verdict = 'CURRENT' AND server_minor(v_now.running, v_now.major_version) >= server_minor(v_row.to_version, v_now.major_version) THEN
        v_state := 'DONE';
    ELSIF v_now.verdict IN ('CURRENT', 'BEHIND', 'PINNED') AND v_now.installed <> v_row.to_version THEN
        v_problem := 'Its hosts have ' || v_now.installed || ' now.';
    ELSIF v_now.verdict = 'BEHIND' OR (v_now.verdict = 'PINNED' AND v.with_pinned) THEN
        IF NOT p_may_begin THEN
            RETURN 'LATER';
        ELSIF (SELECT count(*) FROM fleet_update_cluster u WHERE u.update_id = p_update AND u.state = 'RUNNING') >= v.at_a_time THEN
            RETURN 'FULL';
        END IF;
        UPDATE fleet_update_cluster SET state = 'RUNNING', started_at = now(), moved_at = now(), members_done = 0, goal = 0, problem = NULL
            WHERE update_id = p_update AND cluster_id = p_cluster;
        RETURN 'GO';
    ELSE
        v_problem := v_now.reason;
    END IF;
    UPDATE fleet_update_cluster SET state = v_state, problem = v_problem, finished_at = CASE WHEN v_state <> 'WAITING' THEN now() END,
        members_done = CASE WHEN v_state = 'DONE' THEN members ELSE members_done END
        WHERE update_id = p_update AND cluster_id = p_cluster;
    PERFORM pg_notify('reeve_job', encode(p_update, 'hex'));
    RETURN CASE v_state WHEN 'WAITING' THEN 'STOPPED' ELSE v_state END;
END $$;
REVOKE ALL ON FUNCTION fleet_update_gate(bytea, bytea, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_update_gate(bytea, bytea, boolean) TO reeve_tenant;
