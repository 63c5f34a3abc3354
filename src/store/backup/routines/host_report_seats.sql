-- What a report says about the seats of its host. Seats of other hosts, and snapshots of other stanzas, are left alone and count as foreign.
-- *clusters are those of which something changed beside times and numbers.
CREATE OR REPLACE FUNCTION host_report_seats(p_host bytea, p_seats jsonb, OUT clusters bytea[], OUT has_foreign boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_copies record;
BEGIN
    WITH said AS MATERIALIZED (
        SELECT decode(s.id, 'hex') AS seat, s.*
        FROM jsonb_to_recordset(p_seats)
             AS s(id text, unit text, problem text, "receivedLsn" pg_lsn, timeline bigint, "lagBytes" bigint, "lagMs" bigint,
                  "windowFrom" timestamptz, "windowTo" timestamptz, "usedBytes" bigint)
    ), mine AS MATERIALIZED (
        SELECT t.id AS seat_id, z.cluster_id, s.*,
               -- That it can be restored from at all is news; how far it reaches changes all the time.
               (t.unit, t.problem, t.timeline, t.received_lsn IS NULL, t.window_to IS NULL)
               IS DISTINCT FROM (s.unit, s.problem, s.timeline, s."receivedLsn" IS NULL, s."windowTo" IS NULL) AS changed
        FROM said s
        JOIN stanza_seat t ON t.id = s.seat AND t.host_id = p_host
        JOIN backup_stanza z ON z.id = t.stanza_id
        ORDER BY t.id
    ), written AS (
        UPDATE stanza_seat t
        SET unit = n.unit, problem = n.problem, received_lsn = n."receivedLsn", timeline = n.timeline, lag_bytes = n."lagBytes",
            lag_ms = n."lagMs", window_from = n."windowFrom", window_to = n."windowTo", used_bytes = n."usedBytes", reported_at = now(),
            failing_since = CASE WHEN n.problem IS NOT NULL THEN coalesce(t.failing_since, now()) END
        FROM mine n WHERE t.id = n.seat_id AND t.host_id = p_host
    )
    SELECT array_agg(DISTINCT n.cluster_id::bytea) FILTER (WHERE n.changed),
           (SELECT count(*) FROM said s JOIN stanza_seat t ON t.id = s.seat WHERE t.host_id <> p_host) > 0
        INTO clusters, has_foreign FROM mine n;

    PERFORM host_report_spans(p_host, p_seats);
    SELECT * INTO v_copies FROM host_report_copies(p_host, p_seats);
    clusters := clusters || v_copies.clusters || host_report_drills(p_host, p_seats) || host_report_exports(p_host, p_seats)
                || host_report_downloads(p_host, p_seats);
    has_foreign := has_foreign OR v_copies.has_foreign;
END $$;
REVOKE ALL ON FUNCTION host_report_seats(bytea, jsonb) FROM PUBLIC;
