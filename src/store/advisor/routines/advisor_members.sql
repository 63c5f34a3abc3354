-- The members of a cluster that the advisor has looked at; with a list of processes only those, each as host:port by name or address.
CREATE OR REPLACE FUNCTION advisor_members(p_project bytea, p_cluster bytea, p_processes jsonb) RETURNS SETOF member_advice LANGUAGE sql STABLE AS $$
    SELECT m.* FROM member_advice m
    WHERE m.project_id = p_project AND m.cluster_id = p_cluster AND (coalesce(jsonb_array_length(p_processes), 0) = 0 OR advisor_is_process(m, p_processes))
$$;
