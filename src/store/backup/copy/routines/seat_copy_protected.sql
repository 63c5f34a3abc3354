-- Until when the last of the copies in that region is protected; NULL when none is.
CREATE OR REPLACE FUNCTION seat_copy_protected(p_stanza bytea, p_provider text, p_region text) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT max(n.protected_until) FROM stanza_seat t JOIN host h ON h.id = t.host_id JOIN snapshot_copy c ON c.seat_id = t.id JOIN snapshot n ON n.id = c.snapshot_id
    WHERE t.stanza_id = p_stanza AND reeve_acts_for(t.org_id) AND t.is_copy AND (h.provider, h.region) = (p_provider, p_region)
      AND c.state <> 'FAILED' AND n.protected_until > now()
$$;
REVOKE ALL ON FUNCTION seat_copy_protected(bytea, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_copy_protected(bytea, text, text) TO reeve_tenant;
