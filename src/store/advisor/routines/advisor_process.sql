-- The member that is this process, by its name or address and its port; also one that the advisor has not looked at yet, which it has nothing to say about.
CREATE OR REPLACE FUNCTION advisor_process(p_project bytea, p_process text) RETURNS TABLE (member_id bytea, cluster_id bytea, advised_at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT f.member_id, f.cluster_id, f.advised_at
    FROM (SELECT a.member_id::bytea, a.cluster_id::bytea, a.advised_at, 1 AS place FROM member_advice a
          WHERE a.project_id = p_project AND advisor_is_process(a, jsonb_build_array(p_process))
          UNION ALL
          SELECT p.member_id, p.cluster_id, NULL, 2 FROM project_processes(p_project) p WHERE p.key = lower(p_process)) f
    ORDER BY f.place LIMIT 1
$$;
