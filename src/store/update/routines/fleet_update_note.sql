-- What the job of a cluster writes down of it while it is RUNNING: members that run the new version, the goal of its restarts, and how it ended. What it has, and for how many seconds
-- nothing has moved; no row when it is not under way.
CREATE OR REPLACE FUNCTION fleet_update_note(p_update bytea, p_cluster bytea, p_members_done int, p_goal bigint, p_state text, p_problem text)
RETURNS TABLE (to_version text, goal bigint, idle_s bigint, patience_s int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF p_state IN ('DONE', 'FAILED') THEN
        PERFORM pg_notify('reeve_job', encode(p_update, 'hex'));
    END IF;
    RETURN QUERY
    UPDATE fleet_update_cluster u
    SET moved_at = CASE WHEN u.members_done IS DISTINCT FROM coalesce(p_members_done, u.members_done) OR p_goal IS NOT NULL THEN now() ELSE u.moved_at END,
        members_done = coalesce(p_members_done, u.members_done), goal = coalesce(p_goal, u.goal), state = coalesce(p_state, u.state),
        problem = p_problem, finished_at = CASE WHEN p_state IS NOT NULL THEN now() END
    FROM fleet_update f
    WHERE f.id = p_update AND u.update_id = p_update AND u.cluster_id = p_cluster AND u.state = 'RUNNING' AND reeve_acts_for(u.org_id)
    RETURNING u.to_version, u.goal, extract(epoch FROM now() - u.moved_at)::bigint, f.patience_s;
END $$;
REVOKE ALL ON FUNCTION fleet_update_note(bytea, bytea, integer, bigint, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_update_note(bytea, bytea, integer, bigint, text, text) TO reeve_tenant;
