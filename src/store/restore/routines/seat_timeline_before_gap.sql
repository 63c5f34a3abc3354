-- The timeline on which WAL of a seat ends before the first gap behind that span; NULL when there is none. A span that begins where the one before ends, on
-- its timeline, is no gap: the clock was wrong between the two.
CREATE OR REPLACE FUNCTION seat_timeline_before_gap(p_seat bytea, p_ordinal int) RETURNS bigint
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT w.to_timeline FROM wal_span w
    WHERE w.seat_id = p_seat AND w.ordinal >= p_ordinal AND w.ended_by IS NOT NULL
      AND NOT EXISTS (SELECT FROM (SELECT n.* FROM wal_span n WHERE n.seat_id = p_seat AND n.ordinal > w.ordinal ORDER BY n.ordinal LIMIT 1) n
                      WHERE (n.from_lsn, n.from_timeline) = (w.to_lsn, w.to_timeline))
    ORDER BY w.ordinal LIMIT 1
$$;
