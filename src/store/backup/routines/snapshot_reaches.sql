-- Whether that moment can be restored from the snapshot: at one of its seats WAL goes from its beginning to that moment without a gap.
CREATE OR REPLACE FUNCTION snapshot_reaches(p_snapshot bytea, p_moment timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM snapshot_copy c JOIN wal_span w ON w.seat_id = c.seat_id
                   WHERE c.snapshot_id = p_snapshot AND c.state = 'COMPLETED' AND c.finished_at <= p_moment
                     AND w.from_lsn <= c.start_lsn AND w.to_lsn >= c.stop_lsn AND w.to_at >= p_moment)
$$;
