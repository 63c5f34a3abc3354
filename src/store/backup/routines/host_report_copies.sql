-- Snapshots as a host reports them. One that it took by itself is known from its first report on. How long one is kept is the control
-- plane's to say once it knows it: no host can shorten that. A host with copies cannot shorten what another one is going to take, by naming it first: what the first seat
-- says when it names it counts as well. A copy that was to be removed is forgotten when the host says what it has, and
-- that copy is not among it. A seat without a list does not know now, so nothing follows from it.
CREATE OR REPLACE FUNCTION host_report_copies(p_host bytea, p_seats jsonb, OUT clusters bytea[], OUT has_foreign boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_seats jsonb := (SELECT coalesce(jsonb_agg(e), '[]') FROM jsonb_array_elements(p_seats) e WHERE jsonb_typeof(e -> 'snapshots') = 'array');
BEGIN
    WITH said AS MATERIALIZED (
        SELECT t.id AS seat_id, t.ordinal, t.is_copy, decode(y.id, 'hex') AS snapshot_id, z.*, y.state AS copy_state, y.label, y.type, y.needs, y.frequency, y."policyItems",
               y."createdAt", y."finishedAt", y."expiresAt", y.timeline, y."startLsn", y."stopLsn", y."sizeBytes", y."deltaBytes", y."serverVersion", y.problem
        FROM jsonb_array_elements(v_seats) e
        JOIN stanza_seat t ON t.id = decode(e ->> 'id', 'hex') AND t.host_id = p_host
        JOIN backup_stanza z ON z.id = t.stanza_id
        CROSS JOIN LATERAL jsonb_to_recordset(e -> 'snapshots')
             AS y(id text, label text, type text, needs text[], state text, frequency text, "policyItems" text[], "createdAt" timestamptz,
                  "finishedAt" timestamptz, "expiresAt" timestamptz, timeline bigint, "startLsn" pg_lsn, "stopLsn" pg_lsn, "sizeBytes" bigint,
                  "deltaBytes" bigint, "serverVersion" text, problem text)
    ), made AS (
        INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, frequency, policy_items, state, created_at, expires_at, protected_until)
        SELECT DISTINCT ON (s.snapshot_id) s.snapshot_id, s.org_id, s.project_id, s.cluster_id, s.id,
               CASE WHEN s.frequency IS NULL THEN 'FALLBACK' ELSE 'SCHEDULED' END, s.frequency,
               ARRAY(SELECT decode(i, 'hex') FROM unnest(s."policyItems") i), 'IN_PROGRESS', coalesce(s."createdAt", now()), s."expiresAt",
               backup_protection(s.project_id, s."expiresAt")
        FROM said s ORDER BY s.snapshot_id, s.ordinal
        ON CONFLICT (id) DO NOTHING
        RETURNING id, stanza_id
    ), known AS (
        SELECT n.id, n.stanza_id FROM snapshot n WHERE n.id IN (SELECT s.snapshot_id FROM said s)
        UNION ALL SELECT m.id, m.stanza_id FROM made m
    ), mine AS MATERIALIZED (
        SELECT DISTINCT ON (s.snapshot_id, s.seat_id) s.* FROM said s JOIN known k ON k.id = s.snapshot_id AND k.stanza_id = s.id
        ORDER BY s.snapshot_id, s.seat_id
    ), lengthened AS (
        UPDATE snapshot n SET expires_at = m."expiresAt", hidden_at = CASE WHEN n.expires_at > now() THEN n.hidden_at END,
                              protected_until = greatest(n.protected_until, backup_protection(n.project_id, m."expiresAt"))
        FROM mine m
        WHERE n.id = m.snapshot_id AND NOT m.is_copy AND n.origin <> 'ON_DEMAND' AND n.expires_at < m."expiresAt"
          AND EXISTS (SELECT FROM snapshot_copy o WHERE o.snapshot_id = m.snapshot_id)
          AND NOT EXISTS (SELECT FROM snapshot_copy o JOIN stanza_seat t ON t.id = o.seat_id WHERE o.snapshot_id = m.snapshot_id AND NOT t.is_copy)
    ), written AS (
        INSERT INTO snapshot_copy AS c (snapshot_id, seat_id, org_id, label, type, needs, timeline, start_lsn, stop_lsn, started_at, finished_at, size_bytes,
                                        delta_bytes, state, problem)
        SELECT m.snapshot_id, m.seat_id, m.org_id, m.label, m.type, coalesce(m.needs, '{}'), m.timeline, m."startLsn", m."stopLsn", m."createdAt", m."finishedAt",
               m."sizeBytes", m."deltaBytes", m.copy_state, m.problem
        FROM mine m
        ON CONFLICT (snapshot_id, seat_id) DO UPDATE
            SET label = excluded.label, type = excluded.type, needs = excluded.needs, timeline = excluded.timeline, start_lsn = excluded.start_lsn,
                stop_lsn = excluded.stop_lsn, started_at = excluded.started_at, finished_at = excluded.finished_at, size_bytes = excluded.size_bytes,
                delta_bytes = excluded.delta_bytes, problem = excluded.problem,
                state = CASE WHEN c.state = 'REMOVING' THEN c.state ELSE excluded.state END -- which the control plane decided
            WHERE (c.label, c.type, c.needs, c.timeline, c.start_lsn, c.stop_lsn, c.started_at, c.finished_at, c.size_bytes, c.delta_bytes, c.problem)
                  IS DISTINCT FROM (excluded.label, excluded.type, excluded.needs, excluded.timeline, excluded.start_lsn, excluded.stop_lsn, excluded.started_at,
                                    excluded.finished_at, excluded.size_bytes, excluded.delta_bytes, excluded.problem)
               OR (c.state <> 'REMOVING' AND c.state <> excluded.state)
        RETURNING c.snapshot_id
    ), removed AS (
        DELETE FROM snapshot_copy c USING stanza_seat t, jsonb_array_elements(v_seats) e
        WHERE t.id = decode(e ->> 'id', 'hex') AND t.host_id = p_host AND c.seat_id = t.id AND c.state = 'REMOVING'
          AND NOT EXISTS (SELECT FROM said s WHERE s.seat_id = c.seat_id AND s.snapshot_id = c.snapshot_id)
        RETURNING c.snapshot_id
    )
    SELECT (SELECT array_agg(DISTINCT m.cluster_id::bytea) FROM mine m WHERE m.snapshot_id IN (SELECT w.snapshot_id FROM written w)),
           (SELECT count(*) FROM said s JOIN known k ON k.id = s.snapshot_id WHERE k.stanza_id <> s.id) > 0
        INTO clusters, has_foreign;

    -- A snapshot is what its copies are. Seats that have not begun may still succeed.
    UPDATE snapshot n
    SET state = c.state, problem = CASE WHEN c.state = 'FAILED' THEN c.problem END, finished_at = c.finished_at, server_version = coalesce(c.server_version, n.server_version),
        size_bytes = coalesce(c.size_bytes, n.size_bytes), storage_bytes = coalesce(c.delta_bytes, n.storage_bytes)
    FROM (SELECT y.snapshot_id,
                 CASE WHEN bool_or(y.state IN ('COMPLETED', 'REMOVING')) THEN 'COMPLETED'
                      WHEN bool_or(y.state = 'IN_PROGRESS') THEN 'IN_PROGRESS'
                      WHEN o.origin = 'ON_DEMAND' AND count(*) < (SELECT count(*) FROM stanza_seat t WHERE t.stanza_id = o.stanza_id AND t.desired = 'RUNNING' AND seat_takes(t, 'ON_DEMAND'))
                          THEN 'IN_PROGRESS'
                      ELSE 'FAILED' END AS state,
                 min(y.problem) AS problem, min(y.finished_at) AS finished_at, max(y.size_bytes) AS size_bytes, max(y.delta_bytes) AS delta_bytes,
                 (SELECT max(v ->> 'serverVersion') FROM jsonb_array_elements(v_seats) e, jsonb_array_elements(e -> 'snapshots') v
                  WHERE v ->> 'id' = encode(y.snapshot_id, 'hex')) AS server_version
          FROM snapshot_copy y JOIN snapshot o ON o.id = y.snapshot_id
          WHERE y.snapshot_id IN (SELECT decode(v ->> 'id', 'hex') FROM jsonb_array_elements(v_seats) e, jsonb_array_elements(e -> 'snapshots') v)
            AND y.snapshot_id IN (SELECT i.snapshot_id FROM snapshot_copy i JOIN stanza_seat t ON t.id = i.seat_id WHERE t.host_id = p_host)
          GROUP BY y.snapshot_id, o.origin, o.stanza_id) c
    WHERE n.id = c.snapshot_id
      AND (n.state, n.finished_at, n.size_bytes, n.storage_bytes, n.problem)
          IS DISTINCT FROM (c.state, c.finished_at, coalesce(c.size_bytes, n.size_bytes), coalesce(c.delta_bytes, n.storage_bytes), CASE WHEN c.state = 'FAILED' THEN c.problem END);
END $$;
REVOKE ALL ON FUNCTION host_report_copies(bytea, jsonb) FROM PUBLIC;
