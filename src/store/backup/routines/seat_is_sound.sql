-- Whether what is written now can be restored from a seat: its last piece of WAL has a backup to begin with.
CREATE OR REPLACE FUNCTION seat_is_sound(p_seat bytea) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM (SELECT w.* FROM wal_span w WHERE w.seat_id = p_seat ORDER BY w.ordinal DESC LIMIT 1) w
                   JOIN snapshot_copy c ON c.seat_id = p_seat AND c.state = 'COMPLETED' AND w.from_lsn <= c.start_lsn AND w.to_lsn >= c.stop_lsn
                   WHERE w.ended_by IS NULL)
$$;
