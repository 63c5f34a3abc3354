-- Repository hosts that run neither a drill nor an export: for the service only, which sees no hosts otherwise.
CREATE OR REPLACE FUNCTION drill_free_hosts() RETURNS TABLE (host_id bytea) LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT h.id::bytea FROM host h
    WHERE h.purpose = 'REPOSITORY' AND reeve_is_service()
      AND NOT EXISTS (SELECT FROM drill d JOIN stanza_seat e ON e.id = d.seat_id WHERE e.host_id = h.id AND d.finished_at IS NULL)
      AND NOT EXISTS (SELECT FROM export_job x JOIN stanza_seat e ON e.id = x.seat_id WHERE e.host_id = h.id AND x.finished_at IS NULL)
$$;
REVOKE ALL ON FUNCTION drill_free_hosts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drill_free_hosts() TO reeve_tenant;
