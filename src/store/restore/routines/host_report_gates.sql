-- What a report says about the gates of its host. *clusters are the targets of those that changed.
CREATE OR REPLACE FUNCTION host_report_gates(p_host bytea, p_gates jsonb, OUT clusters bytea[], OUT has_foreign boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (s.id) decode(s.id, 'hex') AS restore_id, s.*
        FROM jsonb_to_recordset(p_gates) AS s(id text, state text, problem text, "servedLsn" pg_lsn, "servedAt" timestamptz)
        ORDER BY s.id
    ), written AS (
        UPDATE restore_job r
        SET gate_state = s.state, gate_problem = s.problem, served_lsn = coalesce(s."servedLsn", r.served_lsn), served_at = coalesce(s."servedAt", r.served_at)
        FROM said s
        WHERE r.id = s.restore_id AND r.host_id = p_host AND r.gate_port IS NOT NULL
          AND (r.gate_state, r.gate_problem, r.served_lsn, r.served_at)
              IS DISTINCT FROM (s.state, s.problem, coalesce(s."servedLsn", r.served_lsn), coalesce(s."servedAt", r.served_at))
        RETURNING r.target_id
    )
    SELECT (SELECT array_agg(DISTINCT w.target_id::bytea) FROM written w),
           EXISTS (SELECT FROM said s JOIN restore_job r ON r.id = s.restore_id WHERE r.host_id <> p_host)
$$;
REVOKE ALL ON FUNCTION host_report_gates(bytea, jsonb) FROM PUBLIC;
