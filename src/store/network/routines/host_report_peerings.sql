-- What a report says about the host's ends of peerings. Only of those that have one there: no host puts its key among those of others. Answers whether it
-- spoke of another. It has done everything that it was told (p_is_done), so what is not in the report is gone there.
CREATE OR REPLACE FUNCTION host_report_peerings(p_host bytea, p_is_done boolean, p_peerings jsonb) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_foreign boolean;
    v_gone bytea;
BEGIN
    -- Ends that went with the last member of the project on this host. While one is named something of it is left, and its port is nobody else's.
    DELETE FROM network_peer_gateway g USING network_peer n
    WHERE p_is_done AND g.host_id = p_host AND n.id = g.peer_id AND n.desired = 'RUNNING' AND NOT p_host = ANY (peer_hosts(n))
      AND NOT EXISTS (SELECT FROM jsonb_to_recordset(p_peerings) AS s(id text) WHERE decode(s.id, 'hex') = n.id);
    IF jsonb_array_length(p_peerings) > 0 THEN
        WITH said AS MATERIALIZED (
            SELECT DISTINCT ON (s.id) decode(s.id, 'hex') AS peer, s.*
            FROM jsonb_to_recordset(p_peerings) AS s(id text, state text, problem text, "publicKey" text, "handshakeAt" timestamptz)
            ORDER BY s.id
        ), mine AS (
            SELECT s.* FROM said s JOIN network_peer n ON n.id = s.peer
            WHERE s.state <> 'REMOVED' AND n.desired = 'RUNNING' AND p_host = ANY (peer_hosts(n))
        ), written AS (
            INSERT INTO network_peer_gateway AS g (peer_id, host_id, state, public_key, problem, handshake_at)
            SELECT m.peer, p_host, m.state, m."publicKey", m.problem, m."handshakeAt" FROM mine m
            ON CONFLICT (peer_id, host_id) DO UPDATE
            SET state = excluded.state, public_key = excluded.public_key, problem = excluded.problem, handshake_at = excluded.handshake_at
            WHERE (g.state, g.public_key, g.problem, g.handshake_at)
                  IS DISTINCT FROM (excluded.state, excluded.public_key, excluded.problem, excluded.handshake_at)
            RETURNING 1
        ), removed AS (
            DELETE FROM network_peer_gateway g USING said s, network_peer n
            WHERE s.state = 'REMOVED' AND g.peer_id = s.peer AND g.host_id = p_host AND n.id = s.peer AND n.desired = 'REMOVED'
            RETURNING 1
        )
        SELECT EXISTS (SELECT FROM said s JOIN network_peer n ON n.id = s.peer
                       WHERE n.desired = 'RUNNING' AND s.peer NOT IN (SELECT m.peer FROM mine m)
                         AND NOT EXISTS (SELECT FROM network_peer_gateway g WHERE g.peer_id = s.peer AND g.host_id = p_host))
        INTO v_foreign;
        FOR v_gone IN SELECT n.id FROM jsonb_to_recordset(p_peerings) AS s(id text, state text) JOIN network_peer n ON n.id = decode(s.id, 'hex')
                      WHERE s.state = 'REMOVED' AND n.desired = 'REMOVED' ORDER BY n.id LOOP
            PERFORM peer_sweep(v_gone);
        END LOOP;
    END IF;
    RETURN coalesce(v_foreign, false);
END $$;
REVOKE ALL ON FUNCTION host_report_peerings(bytea, boolean, jsonb) FROM PUBLIC;
