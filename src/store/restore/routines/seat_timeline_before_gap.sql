-- The timeline on which WAL of a seat ends before the first gap behind that span; NULL when there is none. A span that begins where the one before ends is no gap.
CREATE OR REPLACE FUNCTION seat_timeline_before_gap(p_seat bytea, p_ordinal int) RETURNS bigint
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT w.to_timeline FROM wal_span w
    WHERE w.seat_id = p_seat AND w.ordinal >= p_ordinal AND w.ended_by IS NOT NULL
      AND w.to_lsn IS DISTINCT FROM (SELECT n.from_lsn FROM wal_span n WHERE n.seat_id = p_seat AND n.ordinal > w.ordinal ORDER BY n.ordinal LIMIT 1)
    ORDER BY w.ordinal LIMIT 1
$$;
