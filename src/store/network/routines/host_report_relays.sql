-- What a relay host says of its relays. It has done everything that it was told (p_is_done), so what was removed and is not in the report is gone there.
CREATE OR REPLACE FUNCTION host_report_relays(p_host bytea, p_is_done boolean, p_relays jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE private_endpoint_service s SET state = r.state, problem = r.problem
        FROM jsonb_to_recordset(p_relays) AS r(id text, state text, problem text)
        WHERE s.id = decode(r.id, 'hex') AND s.host_id = p_host AND (s.state, s.problem) IS DISTINCT FROM (r.state, r.problem);
    UPDATE private_endpoint e SET is_open = true
        FROM private_endpoint_service s, jsonb_to_recordset(p_relays) AS r(id text, state text, clients jsonb)
        WHERE s.id = decode(r.id, 'hex') AND s.host_id = p_host AND e.service_id = s.id AND NOT e.is_open
          AND r.state = 'SERVING' AND r.clients ? host(e.address);
    IF p_is_done THEN
        DELETE FROM private_endpoint e USING private_endpoint_service s
            WHERE s.id = e.service_id AND s.host_id = p_host AND e.removed_at IS NOT NULL
              AND NOT EXISTS (SELECT FROM jsonb_to_recordset(p_relays) AS r(id text, clients jsonb)
                              WHERE r.id = encode(s.id, 'hex') AND r.clients ? host(e.address));
        DELETE FROM private_endpoint_service s
            WHERE s.host_id = p_host AND s.removed_at IS NOT NULL
              AND NOT EXISTS (SELECT FROM jsonb_to_recordset(p_relays) AS r(id text) WHERE r.id = encode(s.id, 'hex'));
    END IF;
END $$;
REVOKE ALL ON FUNCTION host_report_relays(bytea, boolean, jsonb) FROM PUBLIC;
