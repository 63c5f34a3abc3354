-- How many days back any moment must be restorable from a seat: 0 when its copies are of snapshots only.
CREATE OR REPLACE FUNCTION seat_window_days(p_seat stanza_seat, p_project bytea, p_cluster bytea) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT p_seat.is_copy OR coalesce((seat_copy_setting(p_seat) -> 'shouldCopyOplogs')::boolean, false) THEN backup_window_days(p_project, p_cluster) ELSE 0 END
$$;
