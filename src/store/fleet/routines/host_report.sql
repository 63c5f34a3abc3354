-- The report was checked by fleet/report.c: every field that is here has its type and bounds. Nothing is taken over about members,
-- tasks and seats of other hosts; OK, STALE, or FOREIGN when it spoke of one of another host beside its own.
-- Rows are locked in the order members, seats, restores, host: what changes a member's wanted state goes the same way.
CREATE OR REPLACE FUNCTION host_report(p_host bytea, p_epoch bigint, p_report jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_epoch bigint;
    v_version bigint;
    v_clusters bytea[];
    v_tasks bytea[];
    v_facts jsonb;
    v_foreign boolean;
    v_seats record;
    v_gates record;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'reports are taken over by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT h.epoch, v.version INTO v_epoch, v_version
        FROM host h JOIN host_goal_version v ON v.host_id = h.id WHERE h.id = p_host AND h.state <> 'REMOVED';
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RETURN 'STALE';
    END IF;

    -- A seat that its host has removed gives its place back. Before anything else is locked: it takes its turn with placing.
    PERFORM seat_release(t.id) FROM stanza_seat t
        WHERE t.host_id = p_host AND t.desired = 'REMOVED'
          AND t.id IN (SELECT decode(s ->> 'id', 'hex') FROM jsonb_array_elements(p_report -> 'seats') s WHERE s ->> 'unit' = 'absent');
    PERFORM download_release(d.restore_id) FROM download d
        WHERE d.host_id = p_host AND d.ended_at IS NOT NULL AND d.released_at IS NULL
          AND d.restore_id IN (SELECT decode(s -> 'download' ->> 'id', 'hex') FROM jsonb_array_elements(p_report -> 'seats') s
                               WHERE s -> 'download' ->> 'state' = 'ABSENT' AND decode(s ->> 'id', 'hex') = d.seat_id);

    WITH said AS MATERIALIZED (
        SELECT decode(s.id, 'hex') AS member, s.*
        FROM jsonb_to_recordset(p_report -> 'members')
             AS s(id text, unit text, role text, running text, timeline bigint, "lagBytes" bigint, version text,
                  "goalGeneration" bigint, "accessGeneration" bigint, "restartNonce" bigint, "pendingRestart" boolean, problem text, pooler text)
    ), mine AS MATERIALIZED (
        SELECT m.id, m.cluster_id, m.reported_at, s.unit, s.role, s.running, s.timeline, s."lagBytes" AS lag_bytes, s.version,
               -- Nobody has reached what is not asked for yet.
               least(s."goalGeneration", c.goal_generation) AS applied_goal,
               least(s."accessGeneration", coalesce(a.generation, 0)) AS applied_access,
               least(s."restartNonce", m.restart_nonce) AS applied_restart,
               s."pendingRestart" AS pending_restart, s.problem, coalesce(s.pooler, 'OFF') AS pooler, -- which older nodes do not pass on
               (m.unit, m.role, m.running, m.timeline, m.version, m.applied_goal, m.applied_access, m.applied_restart,
                m.pending_restart, m.problem, m.pooler)
               IS DISTINCT FROM
               (s.unit, s.role, s.running, s.timeline, s.version, least(s."goalGeneration", c.goal_generation),
                least(s."accessGeneration", coalesce(a.generation, 0)), least(s."restartNonce", m.restart_nonce),
                s."pendingRestart", s.problem, coalesce(s.pooler, 'OFF')) AS changed,
               m.lag_bytes IS DISTINCT FROM s."lagBytes" AS moved
        FROM said s
        JOIN cluster_member m ON m.id = s.member AND m.host_id = p_host
        JOIN cluster c ON c.id = m.cluster_id
        LEFT JOIN project_access a ON a.project_id = c.project_id
        ORDER BY m.id
    ), written AS (
        UPDATE cluster_member m
        SET unit = n.unit, role = n.role, running = n.running, timeline = n.timeline, lag_bytes = n.lag_bytes, version = n.version,
            applied_goal = n.applied_goal, applied_access = n.applied_access, applied_restart = n.applied_restart,
            pending_restart = n.pending_restart, problem = n.problem, pooler = n.pooler, reported_at = now()
        FROM mine n
        -- A report that says nothing new does not rewrite every member of the host each time.
        WHERE m.id = n.id AND m.host_id = p_host
          AND (n.changed OR n.moved OR n.reported_at IS NULL OR n.reported_at < now() - interval '30 seconds')
    )
    SELECT array_agg(DISTINCT n.cluster_id::bytea) FILTER (WHERE n.changed OR n.moved),
           (SELECT count(*) FROM said s JOIN cluster_member m ON m.id = s.member WHERE m.host_id <> p_host) > 0
        INTO v_clusters, v_foreign FROM mine n;

    IF jsonb_array_length(p_report -> 'seats') > 0 THEN
        SELECT * INTO v_seats FROM host_report_seats(p_host, p_report -> 'seats');
        v_clusters := v_clusters || v_seats.clusters;
        v_foreign := v_foreign OR v_seats.has_foreign;
    END IF;
    PERFORM host_report_own(p_host, p_report -> 'ownDatabase');
    IF jsonb_array_length(p_report -> 'gates') > 0 THEN
        SELECT * INTO v_gates FROM host_report_gates(p_host, p_report -> 'gates');
        v_clusters := v_clusters || v_gates.clusters;
        v_foreign := v_foreign OR v_gates.has_foreign;
    END IF;
    IF EXISTS (SELECT FROM private_endpoint_service s WHERE s.host_id = p_host) THEN
        PERFORM host_report_relays(p_host, (p_report ->> 'version')::bigint >= v_version, p_report -> 'relays');
    END IF;
    v_foreign := v_foreign OR host_report_peerings(p_host, (p_report ->> 'version')::bigint >= v_version, p_report -> 'peerings');
    IF jsonb_path_exists(p_report, '$.members[*].restore.id') THEN
        v_clusters := v_clusters || host_report_restores(p_host, p_report -> 'members');
    END IF;

    WITH done AS (
        UPDATE host_task t SET outcome = s.outcome, detail = s.detail, finished_at = now()
        FROM jsonb_to_recordset(p_report -> 'tasks') AS s(id text, outcome text, detail text)
        WHERE t.id = decode(s.id, 'hex') AND t.host_id = p_host AND t.outcome IS NULL
        RETURNING t.member_id
    )
    SELECT array_agg(DISTINCT m.cluster_id::bytea) INTO v_tasks FROM done d JOIN cluster_member m ON m.id = d.member_id;
    PERFORM pg_notify('reeve_job', encode(c, 'hex')) FROM (SELECT DISTINCT unnest(v_clusters || v_tasks)) AS all_of_them(c);

    -- Nothing is lost with a report that only says that all is as before: the next one says it again. So it waits for no disk.
    IF v_clusters IS NULL AND v_tasks IS NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    SELECT h.facts || (p_report -> 'facts') INTO v_facts FROM host h WHERE h.id = p_host;
    UPDATE host h SET last_seen_at = now(), seen_version = least((p_report ->> 'version')::bigint, v_version),
        address = coalesce((v_facts ->> 'address')::inet, h.address),
        facts = CASE WHEN h.facts = v_facts THEN h.facts ELSE v_facts END
        WHERE h.id = p_host;
    RETURN CASE WHEN v_foreign THEN 'FOREIGN' ELSE 'OK' END;
END $$;
REVOKE ALL ON FUNCTION host_report(bytea, bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_report(bytea, bigint, jsonb) TO reeve_tenant;
