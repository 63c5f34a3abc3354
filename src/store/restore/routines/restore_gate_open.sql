-- Gives a restore a port for its gate, which puts it into the goal of its host. The next one that is free after the last that was used there, so that a
-- gate which is still being closed is in nobody's way. NULL when none is free, or the seat is gone.
CREATE OR REPLACE FUNCTION restore_gate_open(p_restore bytea) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_restore restore_job;
    v_last int;
BEGIN
    SELECT * INTO v_restore FROM restore_job r WHERE r.id = p_restore AND reeve_acts_for(r.org_id);
    IF NOT FOUND OR v_restore.seat_id IS NULL OR v_restore.host_id IS NULL OR v_restore.gate_port IS NOT NULL THEN
        RETURN v_restore.gate_port;
    END IF;
    PERFORM placement_lock(); -- what follows sees every gate that was opened before
    SELECT r.gate_port INTO v_last FROM restore_job r
        WHERE r.host_id = v_restore.host_id AND r.gate_port IS NOT NULL ORDER BY r.created_at DESC, r.id DESC LIMIT 1;
    UPDATE restore_job r SET gate_port = (
        SELECT p FROM generate_series(27100, 27199) p
        WHERE NOT EXISTS (SELECT FROM restore_job o WHERE o.host_id = v_restore.host_id AND o.gate_port = p)
        ORDER BY p <= coalesce(v_last, 27099 + (extract(epoch FROM now())::bigint / 60 % 100)::int), p LIMIT 1)
        WHERE r.id = p_restore RETURNING r.gate_port INTO v_last;
    RETURN v_last;
END $$;
REVOKE ALL ON FUNCTION restore_gate_open(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restore_gate_open(bytea) TO reeve_tenant;
