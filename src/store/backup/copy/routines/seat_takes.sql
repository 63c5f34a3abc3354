-- Whether a seat takes snapshots of that frequency (HOURLY … YEARLY, ON_DEMAND).
CREATE OR REPLACE FUNCTION seat_takes(p_seat stanza_seat, p_frequency text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT p_seat.is_copy OR seat_copy_setting(p_seat) -> 'frequencies' ? p_frequency
$$;
