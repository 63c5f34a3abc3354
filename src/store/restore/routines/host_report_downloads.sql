-- What a report says about the downloads that its host was told of. One that has ended stays as it is; what was handed out and is lost, has ended.
CREATE OR REPLACE FUNCTION host_report_downloads(p_host bytea, p_seats jsonb, OUT clusters bytea[]) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (x.id) decode(x.id, 'hex') AS restore_id, decode(e ->> 'id', 'hex') AS seat_id, x.state, x.problem, x.bytes, x.sha256
        FROM jsonb_array_elements(p_seats) e
        CROSS JOIN LATERAL jsonb_to_record(e -> 'download') AS x(id text, state text, problem text, bytes bigint, sha256 text)
        WHERE jsonb_typeof(e -> 'download') = 'object'
        ORDER BY x.id
    ), written AS (
        UPDATE restore_job r
        SET state = CASE WHEN r.state = 'DONE' THEN r.state WHEN s.state = 'READY' THEN 'DONE' WHEN s.state = 'FAILED' THEN 'FAILED' ELSE r.state END,
            problem = s.problem, finished_at = CASE WHEN s.state IN ('READY', 'FAILED') THEN coalesce(r.finished_at, now()) END
        FROM said s JOIN download d ON d.restore_id = s.restore_id AND d.seat_id = s.seat_id AND d.host_id = p_host AND d.ended_at IS NULL
        WHERE r.id = s.restore_id AND s.state <> 'ABSENT'
          AND ((r.state = 'RUNNING' AND (s.state IN ('READY', 'FAILED') OR r.problem IS DISTINCT FROM s.problem)) OR (r.state = 'DONE' AND s.state = 'FAILED'))
        RETURNING r.id, r.cluster_id, r.snapshot_id, s.state, s.bytes, s.sha256
    ), served AS (
        UPDATE download d
        SET file_bytes = CASE WHEN w.state = 'READY' THEN w.bytes ELSE d.file_bytes END, sha256 = CASE WHEN w.state = 'READY' THEN w.sha256 ELSE d.sha256 END,
            expires_at = CASE WHEN w.state = 'READY' THEN least(now() + interval '24 hours', n.expires_at) ELSE d.expires_at END,
            ended_at = CASE WHEN w.state = 'FAILED' THEN now() END
        FROM written w LEFT JOIN snapshot n ON n.id = w.snapshot_id
        WHERE d.restore_id = w.id AND w.state IN ('READY', 'FAILED')
    )
    SELECT array_agg(DISTINCT w.cluster_id::bytea) FROM written w
$$;
REVOKE ALL ON FUNCTION host_report_downloads(bytea, jsonb) FROM PUBLIC;
