-- Takes over what the advisor of a member saw; fleet/advice.c has checked it. FOREIGN, with nothing changed, when the member is not on this host. A document that
-- was taken before changes nothing: hosts send again what they had no answer to. A cluster keeps at most 2,000 shapes: what is new beyond them is left out.
CREATE OR REPLACE FUNCTION advice_store(p_host bytea, p_member bytea, p_document jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_at timestamptz := to_timestamp((p_document ->> 'at')::double precision / 1000);
    v record;
    v_since timestamptz;
    v_limit double precision;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'advice is taken over by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT m.cluster_id, c.project_id, member_name(c.set_name, c.host_label, m.ordinal) || '.' || coalesce(a.hash, '') AS name, host(d.address) AS address, c.port, m.role = 'PRIMARY' AS is_primary,
           (SELECT count(*) FROM cluster_member o WHERE o.cluster_id = m.cluster_id AND o.desired = 'RUNNING') AS cluster_size
    INTO v FROM cluster_member m
    JOIN cluster c ON c.id = m.cluster_id
    LEFT JOIN project_access a ON a.project_id = c.project_id
    LEFT JOIN host_address d ON d.member_id = m.id
    WHERE m.id = p_member AND m.host_id = p_host AND m.desired IN ('RUNNING', 'STOPPED');
    IF NOT FOUND THEN
        RETURN 'FOREIGN';
    END IF;
    INSERT INTO member_advice AS o (member_id, project_id, cluster_id, name, address, port, looked_at, missing)
        VALUES (p_member, v.project_id, v.cluster_id, v.name, v.address, v.port, v_at, p_document ->> 'missing')
        ON CONFLICT (member_id) DO UPDATE SET looked_at = excluded.looked_at, missing = excluded.missing, name = excluded.name, address = excluded.address, port = excluded.port
        WHERE o.looked_at < excluded.looked_at;
    IF NOT FOUND THEN
        RETURN 'OK';
    END IF;
    -- The clock of a host may be wrong; what it saw was seen by now, and not long ago.
    v_at := greatest(least(v_at, now()), now() - interval '1 day');
    v_since := date_bin('10 minutes', v_at, 'epoch');

    INSERT INTO query_shape AS q (cluster_id, project_id, hash, database, text, command, namespace, first_seen, last_seen)
        SELECT v.cluster_id, v.project_id, s.hash, s.database, s.text, s.command, s.database || '.' || nullif(s."table", ''), v_at, v_at
        FROM jsonb_to_recordset(p_document -> 'shapes') AS s(hash text, database text, text text, command text, "table" text)
        WHERE (SELECT count(*) FROM query_shape k WHERE k.cluster_id = v.cluster_id) < 2000
           OR EXISTS (SELECT FROM query_shape k WHERE k.cluster_id = v.cluster_id AND k.hash = s.hash AND k.database = s.database)
        ORDER BY s.hash, s.database
        ON CONFLICT (cluster_id, hash, database) DO UPDATE SET last_seen = greatest(q.last_seen, excluded.last_seen);
    INSERT INTO query_cost AS q (member_id, project_id, cluster_id, since, hash, database, calls, ms, rows, bytes)
        SELECT p_member, v.project_id, v.cluster_id, v_since, s.hash, s.database, s.calls, s.ms, s.rows, s.bytes
        FROM jsonb_to_recordset(p_document -> 'shapes') AS s(hash text, database text, calls bigint, ms double precision, rows bigint, bytes bigint)
        JOIN query_shape k ON k.cluster_id = v.cluster_id AND k.hash = s.hash AND k.database = s.database
        WHERE s.calls > 0
        ON CONFLICT (member_id, since, hash, database) DO UPDATE
            SET calls = q.calls + excluded.calls, ms = q.ms + excluded.ms, rows = q.rows + excluded.rows, bytes = q.bytes + excluded.bytes;

    v_limit := slow_limit_ms(v.project_id, v.cluster_id);
    INSERT INTO slow_query (member_id, project_id, at, ms, hash, database, is_primary)
        SELECT p_member, v.project_id, greatest(least(to_timestamp(s.at / 1000), now()), now() - interval '1 day'), s.ms, k.hash, k.database, v.is_primary
        FROM jsonb_to_recordset(p_document -> 'slow') AS s(at double precision, ms double precision, hash text, database text)
        JOIN query_shape k ON k.cluster_id = v.cluster_id AND k.hash = s.hash AND k.database = s.database
        WHERE s.ms >= v_limit AND (SELECT count(*) FROM slow_query q WHERE q.member_id = p_member) < 20000;

    IF p_document -> 'advice' IS NOT NULL THEN
        UPDATE member_advice SET advised_at = v_at, advice = p_document -> 'advice', cluster_size = v.cluster_size WHERE member_id = p_member;
    END IF;
    RETURN 'OK';
END $$;
REVOKE ALL ON FUNCTION advice_store(bytea, bytea, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION advice_store(bytea, bytea, jsonb) TO reeve_tenant;
