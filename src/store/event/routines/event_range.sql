-- The places between two dates in milliseconds, both included; NULL: no bound.
CREATE OR REPLACE FUNCTION event_range(p_org bytea, p_min_ms bigint, p_max_ms bigint, OUT first bigint, OUT last bigint)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_min_ms IS NULL THEN 1 ELSE event_place_from(p_org, to_timestamp(p_min_ms / 1000.0)) END,
           CASE WHEN p_max_ms IS NULL THEN coalesce((SELECT c.seq FROM event_chain c WHERE c.org_id = p_org), 0)
                ELSE event_place_from(p_org, to_timestamp((p_max_ms + 1) / 1000.0)) - 1 END
$$;
