-- What a report says about the drills that its host was told to run. What has ended stays as it was said first.
CREATE OR REPLACE FUNCTION host_report_drills(p_host bytea, p_seats jsonb, OUT clusters bytea[]) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH said AS MATERIALIZED (
        SELECT t.id AS seat_id, x.*
        FROM jsonb_array_elements(p_seats) e
        JOIN stanza_seat t ON t.id = decode(e ->> 'id', 'hex') AND t.host_id = p_host
        CROSS JOIN LATERAL jsonb_to_record(e -> 'drill')
             AS x(id text, state text, problem text, label text, "startedAt" timestamptz, "finishedAt" timestamptz, "recoveryPoint" timestamptz,
                  "rtoMs" bigint, "dataBytes" bigint, "serverVersion" text, phases jsonb, checks jsonb)
        WHERE jsonb_typeof(e -> 'drill') = 'object'
    ), written AS (
        UPDATE drill d
        SET state = s.state, problem = s.problem, label = s.label, started_at = s."startedAt", recovery_point = s."recoveryPoint", rto_ms = s."rtoMs",
            data_bytes = s."dataBytes", server_version = s."serverVersion", phases = coalesce(s.phases, '[]'), checks = coalesce(s.checks, '[]'),
            finished_at = CASE WHEN s.state IN ('PASSED', 'FAILED') THEN least(coalesce(s."finishedAt", now()), now()) END
        FROM said s
        WHERE d.id = decode(s.id, 'hex') AND d.seat_id = s.seat_id AND d.finished_at IS NULL AND d.given_at IS NOT NULL
          AND (d.state, d.problem, d.phases, d.checks) IS DISTINCT FROM (s.state, s.problem, coalesce(s.phases, '[]'), coalesce(s.checks, '[]'))
        RETURNING d.cluster_id
    )
    SELECT array_agg(DISTINCT w.cluster_id::bytea) FROM written w
$$;
REVOKE ALL ON FUNCTION host_report_drills(bytea, jsonb) FROM PUBLIC;
