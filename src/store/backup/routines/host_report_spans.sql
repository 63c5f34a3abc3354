-- Pieces of WAL as a host reports them, all of them each time. Those that have not begun yet, as it knows no moment of them, come later.
CREATE OR REPLACE FUNCTION host_report_spans(p_host bytea, p_seats jsonb) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH said AS MATERIALIZED (
        SELECT t.id AS seat_id, t.org_id, w.*
        FROM jsonb_array_elements(p_seats) e
        JOIN stanza_seat t ON t.id = decode(e ->> 'id', 'hex') AND t.host_id = p_host
        CROSS JOIN LATERAL jsonb_to_recordset(e -> 'spans')
             AS w(ordinal int, "fromLsn" pg_lsn, "toLsn" pg_lsn, "fromTimeline" bigint, "toTimeline" bigint, "fromAt" timestamptz,
                  "toAt" timestamptz, "endedBy" text)
        WHERE w."fromLsn" IS NOT NULL AND w."toLsn" IS NOT NULL AND w."fromTimeline" IS NOT NULL AND w."toTimeline" IS NOT NULL
          AND w."fromAt" IS NOT NULL AND w."toAt" IS NOT NULL
    ), gone AS (
        DELETE FROM wal_span w USING (SELECT DISTINCT s.seat_id FROM said s) told
        WHERE w.seat_id = told.seat_id AND NOT EXISTS (SELECT FROM said s WHERE s.seat_id = w.seat_id AND s.ordinal = w.ordinal)
    )
    INSERT INTO wal_span AS w (seat_id, ordinal, org_id, from_lsn, to_lsn, from_timeline, to_timeline, from_at, to_at, ended_by)
    SELECT DISTINCT ON (s.seat_id, s.ordinal) s.seat_id, s.ordinal, s.org_id, s."fromLsn", s."toLsn", s."fromTimeline", s."toTimeline", s."fromAt", s."toAt",
           s."endedBy"
    FROM said s ORDER BY s.seat_id, s.ordinal
    ON CONFLICT (seat_id, ordinal) DO UPDATE
        SET from_lsn = excluded.from_lsn, to_lsn = excluded.to_lsn, from_timeline = excluded.from_timeline, to_timeline = excluded.to_timeline,
            from_at = excluded.from_at, to_at = excluded.to_at, ended_by = excluded.ended_by
        WHERE (w.from_lsn, w.to_lsn, w.from_timeline, w.to_timeline, w.from_at, w.to_at, w.ended_by)
              IS DISTINCT FROM (excluded.from_lsn, excluded.to_lsn, excluded.from_timeline, excluded.to_timeline, excluded.from_at, excluded.to_at, excluded.ended_by)
$$;
REVOKE ALL ON FUNCTION host_report_spans(bytea, jsonb) FROM PUBLIC;
