-- When the transaction commits, the goals that it touched get their next numbers, in the order of the hosts' ids.
CREATE OR REPLACE FUNCTION goal_moves() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_hosts bytea[];
BEGIN
    -- The first row's turn does the work of all of them.
    WITH mine AS (DELETE FROM goal_touch t WHERE t.tx = pg_current_xact_id() RETURNING t.host_id)
    SELECT array_agg(m.host_id::bytea ORDER BY m.host_id) INTO v_hosts FROM mine m;
    IF v_hosts IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM host_goal_version g WHERE g.host_id = ANY (v_hosts) ORDER BY g.host_id FOR UPDATE;
    UPDATE host_goal_version g SET version = g.version + 1 WHERE g.host_id = ANY (v_hosts);
    PERFORM pg_notify('reeve_goal', encode(h, 'hex')) FROM unnest(v_hosts) h;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS goal_moves ON goal_touch;
CREATE CONSTRAINT TRIGGER goal_moves AFTER INSERT ON goal_touch DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION goal_moves();
