-- What a report says about the exports that its host was told to run. What has ended stays as it was said first.
CREATE OR REPLACE FUNCTION host_report_exports(p_host bytea, p_seats jsonb, OUT clusters bytea[]) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH said AS MATERIALIZED (
        SELECT t.id AS seat_id, x.*
        FROM jsonb_array_elements(p_seats) e
        JOIN stanza_seat t ON t.id = decode(e ->> 'id', 'hex') AND t.host_id = p_host
        CROSS JOIN LATERAL jsonb_to_record(e -> 'export')
             AS x(id text, state text, code text, problem text, "startedAt" timestamptz, "finishedAt" timestamptz, "tablesDone" bigint, "tablesTotal" bigint)
        WHERE jsonb_typeof(e -> 'export') = 'object'
    ), written AS (
        UPDATE export_job x
        SET state = s.state, code = s.code, problem = s.problem, started_at = s."startedAt", tables_done = s."tablesDone", tables_total = s."tablesTotal",
            finished_at = CASE WHEN s.state IN ('SUCCEEDED', 'FAILED') THEN least(coalesce(s."finishedAt", now()), now()) END
        FROM said s
        WHERE x.id = decode(s.id, 'hex') AND x.seat_id = s.seat_id AND x.finished_at IS NULL AND x.given_at IS NOT NULL
          AND (x.state, x.code, x.problem, x.tables_done, x.tables_total) IS DISTINCT FROM (s.state, s.code, s.problem, s."tablesDone", s."tablesTotal")
        RETURNING x.cluster_id
    )
    SELECT array_agg(DISTINCT w.cluster_id::bytea) FROM written w
$$;
REVOKE ALL ON FUNCTION host_report_exports(bytea, jsonb) FROM PUBLIC;
