-- The first place whose event is not older than the moment; one behind the last when all are.
CREATE OR REPLACE FUNCTION event_place_from(p_org bytea, p_moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_low bigint := 1;
    v_high bigint := coalesce((SELECT c.seq FROM event_chain c WHERE c.org_id = p_org), 0) + 1;
    v_middle bigint;
BEGIN
    WHILE v_low < v_high LOOP
        v_middle := (v_low + v_high) / 2;
        IF (SELECT e.created_at FROM event e WHERE e.org_id = p_org AND e.seq = v_middle) >= p_moment THEN
            v_high := v_middle;
        ELSE
            v_low := v_middle + 1;
        END IF;
    END LOOP;
    RETURN v_low;
END $$;
