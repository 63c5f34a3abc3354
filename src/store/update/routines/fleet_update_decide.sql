-- Stops a rollout, or goes on with it: OK; GONE: there is none; REFUSED: it is not in a state for it. What failed is tried again, as are canaries that were left out; or all these are left out (p_skip_failed).
CREATE OR REPLACE FUNCTION fleet_update_decide(p_update bytea, p_goes_on boolean, p_skip_failed boolean) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_state text;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'fleets are updated by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    LOCK TABLE fleet_update IN SHARE ROW EXCLUSIVE MODE;
    SELECT state INTO v_state FROM fleet_update WHERE id = p_update;
    IF v_state IS NULL THEN
        RETURN 'GONE';
    ELSIF v_state <> (CASE WHEN p_goes_on THEN 'STOPPED' ELSE 'RUNNING' END)
       OR (p_goes_on AND EXISTS (SELECT FROM fleet_update WHERE state = 'RUNNING')) THEN
        RETURN 'REFUSED';
    END IF;
    UPDATE fleet_update SET state = CASE WHEN p_goes_on THEN 'RUNNING' ELSE 'STOPPED' END, problem = NULL WHERE id = p_update;
    IF p_goes_on AND p_skip_failed THEN -- also without any canary
        UPDATE fleet_update_cluster SET state = 'SKIPPED', is_canary = false, finished_at = NULL WHERE update_id = p_update AND (state = 'FAILED' OR state = 'SKIPPED' AND is_canary);
    ELSIF p_goes_on THEN
        UPDATE fleet_update_cluster SET state = 'WAITING', finished_at = NULL WHERE update_id = p_update AND (state = 'FAILED' OR state = 'SKIPPED' AND is_canary);
    END IF;
    -- Those that wait for their turn or their window learn of it.
    PERFORM pg_notify('reeve_job', encode(u.cluster_id, 'hex')) FROM fleet_update_cluster u WHERE u.update_id = p_update AND u.state = 'QUEUED';
    PERFORM pg_notify('reeve_job', encode(p_update, 'hex'));
    RETURN 'OK';
END $$;
REVOKE ALL ON FUNCTION fleet_update_decide(bytea, boolean, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_update_decide(bytea, boolean, boolean) TO reeve_tenant;
