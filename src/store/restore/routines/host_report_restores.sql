-- What a report says about restores of the members of its host: only of members that are there, and of the restore that their cluster is told of. How many
-- bytes are done is written, and is no news. *clusters are those of which something else changed.
CREATE OR REPLACE FUNCTION host_report_restores(p_host bytea, p_members jsonb, OUT clusters bytea[])
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (m.id) m.id AS member_id, m.cluster_id, r.id AS restore_id, r.org_id, s.*
        FROM jsonb_array_elements(p_members) e
        CROSS JOIN LATERAL jsonb_to_record(e -> 'restore')
             AS s(id text, phase text, state text, problem text, "doneBytes" bigint, "totalBytes" bigint, "reachedLsn" pg_lsn, "reachedAt" timestamptz)
        JOIN cluster_member m ON m.id = decode(e ->> 'id', 'hex') AND m.host_id = p_host
        JOIN restore_job r ON r.id = decode(s.id, 'hex') AND r.target_id = m.cluster_id AND r.phase IS NOT NULL
        WHERE jsonb_typeof(e -> 'restore') = 'object'
        ORDER BY m.id
    ), changed AS MATERIALIZED (
        SELECT s.*, (o.phase, o.state, o.problem, o.reached_lsn, o.reached_at) IS DISTINCT FROM (s.phase, s.state, s.problem, s."reachedLsn", s."reachedAt") AS is_news
        FROM said s LEFT JOIN restore_member o ON o.restore_id = s.restore_id AND o.member_id = s.member_id
        WHERE (o.phase, o.state, o.problem, o.done_bytes, o.total_bytes, o.reached_lsn, o.reached_at)
              IS DISTINCT FROM (s.phase, s.state, s.problem, s."doneBytes", s."totalBytes", s."reachedLsn", s."reachedAt")
    ), written AS (
        INSERT INTO restore_member (restore_id, member_id, org_id, phase, state, problem, done_bytes, total_bytes, reached_lsn, reached_at)
        SELECT c.restore_id, c.member_id, c.org_id, c.phase, c.state, c.problem, c."doneBytes", c."totalBytes", c."reachedLsn", c."reachedAt" FROM changed c
        ON CONFLICT (restore_id, member_id) DO UPDATE
            SET phase = excluded.phase, state = excluded.state, problem = excluded.problem, done_bytes = excluded.done_bytes,
                total_bytes = excluded.total_bytes, reached_lsn = excluded.reached_lsn, reached_at = excluded.reached_at, reported_at = now()
    )
    SELECT array_agg(DISTINCT c.cluster_id::bytea) FILTER (WHERE c.is_news) FROM changed c
$$;
REVOKE ALL ON FUNCTION host_report_restores(bytea, jsonb) FROM PUBLIC;
