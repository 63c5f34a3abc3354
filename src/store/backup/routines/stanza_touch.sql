-- The hosts that keep a stanza get a new goal.
CREATE OR REPLACE FUNCTION stanza_touch(p_stanza bytea) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT goal_touch_hosts(ARRAY(SELECT t.host_id::bytea FROM stanza_seat t WHERE t.stanza_id = p_stanza))
$$;
REVOKE ALL ON FUNCTION stanza_touch(bytea) FROM PUBLIC;
