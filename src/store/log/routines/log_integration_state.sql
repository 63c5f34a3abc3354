-- What hosts with members of the project last said about one: FAILING when any of them fails, with its reason; WAITING when none has
-- sent anything yet. For reads, which see hosts; a tenant's transaction sees none.
CREATE OR REPLACE FUNCTION log_integration_state(p_project bytea, p_integration bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'state', CASE WHEN bool_or(l ->> 'state' = 'FAILING') THEN 'FAILING' WHEN count(*) > 0 THEN 'WORKING' ELSE 'WAITING' END,
        'lastError', min(l ->> 'detail') FILTER (WHERE l ->> 'state' = 'FAILING')))
    FROM host h, jsonb_array_elements(h.facts -> 'logs') l
    WHERE l ->> 'id' = encode(p_integration, 'hex')
      AND h.id IN (SELECT m.host_id FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.project_id = p_project)
$$;
REVOKE ALL ON FUNCTION log_integration_state(bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log_integration_state(bytea, bytea) TO reeve_reader;
