-- What keeps the copies in that region from being removed: until when the last of them is protected (NULL: none is), and whether a restore reads from there.
CREATE OR REPLACE FUNCTION seat_copy_hold(p_stanza bytea, p_provider text, p_region text, OUT protected_until timestamptz, OUT is_read boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT max(n.protected_until), coalesce(bool_or(EXISTS (SELECT FROM restore_job r WHERE r.seat_id = t.id AND r.finished_at IS NULL)), false)
    FROM stanza_seat t
    JOIN host h ON h.id = t.host_id
    LEFT JOIN snapshot_copy c ON c.seat_id = t.id AND c.state <> 'FAILED'
    LEFT JOIN snapshot n ON n.id = c.snapshot_id AND n.protected_until > now()
    WHERE t.stanza_id = p_stanza AND reeve_acts_for(t.org_id) AND t.is_copy AND (h.provider, h.region) = (p_provider, p_region)
$$;
REVOKE ALL ON FUNCTION seat_copy_hold(bytea, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seat_copy_hold(bytea, text, text) TO reeve_tenant;
