-- The first ordinal of a stanza that no seat has, but for that of the first one; NULL when there is none.
CREATE OR REPLACE FUNCTION seat_next_ordinal(p_stanza bytea) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT n FROM generate_series(1, 7) n WHERE NOT EXISTS (SELECT FROM stanza_seat t WHERE t.stanza_id = p_stanza AND t.ordinal = n) ORDER BY n LIMIT 1
$$;
