-- Notes that the goals of these hosts change in this transaction.
CREATE OR REPLACE FUNCTION goal_touch_hosts(p_hosts bytea[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    INSERT INTO goal_touch (tx, host_id) SELECT DISTINCT pg_current_xact_id(), h FROM unnest(p_hosts) h
    ON CONFLICT DO NOTHING
$$;
REVOKE ALL ON FUNCTION goal_touch_hosts(bytea[]) FROM PUBLIC;
