-- Whether nobody can read from a seat now: its host was given up, or has said nothing for a minute. Transactions of tenants, which see no hosts, use it as well.
CREATE OR REPLACE FUNCTION seat_is_silent(p_seat stanza_seat) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(p_seat.reported_at < now() - interval '1 minute', true) OR EXISTS (SELECT FROM host h WHERE h.id = p_seat.host_id AND h.state = 'REMOVED')
$$;
REVOKE ALL ON FUNCTION seat_is_silent(stanza_seat) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_is_silent(stanza_seat) TO reeve_reader, reeve_tenant;
