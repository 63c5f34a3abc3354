-- The members of a restore's target with what their agents said about it, and whether users and access lists are in force there.
CREATE OR REPLACE FUNCTION restore_members(p_restore bytea) RETURNS TABLE (member bytea, phase text, state text, problem text, has_access boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT m.id, s.phase, s.state, s.problem, m.applied_access >= coalesce(a.generation, 0)
    FROM restore_job r
    JOIN cluster_member m ON m.cluster_id = r.target_id
    LEFT JOIN project_access a ON a.project_id = r.target_project_id
    LEFT JOIN restore_member s ON s.restore_id = r.id AND s.member_id = m.id
    WHERE r.id = p_restore AND reeve_acts_for(r.org_id)
$$;
REVOKE ALL ON FUNCTION restore_members(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restore_members(bytea) TO reeve_tenant;
