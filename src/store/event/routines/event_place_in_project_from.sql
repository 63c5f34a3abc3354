-- The same among the events of one project.
CREATE OR REPLACE FUNCTION event_place_in_project_from(p_project bytea, p_moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_low bigint := 1;
    v_high bigint := coalesce((SELECT c.seq FROM event_count_of_project c WHERE c.project_id = p_project), 0) + 1;
    v_middle bigint;
BEGIN
    WHILE v_low < v_high LOOP
        v_middle := (v_low + v_high) / 2;
        IF (SELECT e.created_at FROM event e WHERE e.project_id = p_project AND e.project_seq = v_middle) >= p_moment THEN
            v_high := v_middle;
        ELSE
            v_low := v_middle + 1;
        END IF;
    END LOOP;
    RETURN v_low;
END $$;
