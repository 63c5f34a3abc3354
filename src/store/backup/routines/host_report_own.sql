-- What a repository host says about the backups of this database. Only 'absent' means that it keeps them no more: an agent that just started, or cannot read how it is
-- to do it, says nothing, and what was known stands and grows old. Other hosts are not believed.
CREATE OR REPLACE FUNCTION host_report_own(p_host bytea, p_own jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF p_own ->> 'unit' = 'absent' THEN
        DELETE FROM own_backup WHERE host_id = p_host;
    END IF;
    IF p_own IS NULL OR p_own ->> 'unit' = 'absent' THEN
        RETURN;
    END IF;
    INSERT INTO own_backup AS b (host_id, unit, problem, received_lsn, timeline, lag_bytes, lag_ms, window_from, window_to, used_bytes,
                                 backups, newest_backup_at, drill, proven_at)
    SELECT p_host, s.unit, s.problem, s."receivedLsn", s.timeline, s."lagBytes", s."lagMs", s."windowFrom", s."windowTo", s."usedBytes",
           c.count, c.newest, d.ended, CASE WHEN d.ended ->> 'state' = 'PASSED' THEN (d.ended ->> 'finishedAt')::timestamptz END
    FROM jsonb_to_record(p_own) AS s(unit text, problem text, "receivedLsn" pg_lsn, timeline bigint, "lagBytes" bigint, "lagMs" bigint,
                                     "windowFrom" timestamptz, "windowTo" timestamptz, "usedBytes" bigint, snapshots jsonb, drill jsonb)
    CROSS JOIN LATERAL (SELECT CASE WHEN s.drill ->> 'state' IN ('PASSED', 'FAILED') THEN s.drill END AS ended) d
    CROSS JOIN LATERAL (
        SELECT CASE WHEN s.snapshots IS NOT NULL THEN count(*) END AS count, max((k ->> 'finishedAt')::timestamptz) AS newest
        FROM jsonb_array_elements(s.snapshots) k WHERE k ->> 'state' = 'COMPLETED') c
    WHERE EXISTS (SELECT FROM host h WHERE h.id = p_host AND h.purpose = 'REPOSITORY')
    ON CONFLICT (host_id) DO UPDATE
    SET reported_at = now(), unit = excluded.unit, problem = excluded.problem, received_lsn = excluded.received_lsn, timeline = excluded.timeline,
        lag_bytes = excluded.lag_bytes, lag_ms = excluded.lag_ms, window_from = excluded.window_from, window_to = excluded.window_to,
        used_bytes = excluded.used_bytes, backups = coalesce(excluded.backups, b.backups),
        newest_backup_at = coalesce(excluded.newest_backup_at, b.newest_backup_at), drill = coalesce(excluded.drill, b.drill),
        proven_at = coalesce(excluded.proven_at, b.proven_at);
END $$;
REVOKE ALL ON FUNCTION host_report_own(bytea, jsonb) FROM PUBLIC;
