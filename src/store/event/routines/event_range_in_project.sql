-- The same among the events of one project.
CREATE OR REPLACE FUNCTION event_range_in_project(p_project bytea, p_min_ms bigint, p_max_ms bigint, OUT first bigint, OUT last bigint)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_min_ms IS NULL THEN 1 ELSE event_place_in_project_from(p_project, to_timestamp(p_min_ms / 1000.0)) END,
           CASE WHEN p_max_ms IS NULL
                THEN coalesce((SELECT c.seq FROM event_count_of_project c WHERE c.project_id = p_project), 0)
                ELSE event_place_in_project_from(p_project, to_timestamp((p_max_ms + 1) / 1000.0)) - 1 END
$$;
