-- FAILING: what is written now would be lost, or nobody knows. UNPROVEN: no control plane could be started from it for three days.
CREATE OR REPLACE FUNCTION own_backup_state(p_own own_backup) RETURNS text
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT CASE
        WHEN p_own.problem IS NOT NULL OR p_own.reported_at < now() - interval '5 minutes'
             OR p_own.window_to IS NULL OR p_own.window_to < now() - interval '5 minutes' THEN 'FAILING'
        WHEN p_own.drill ->> 'state' = 'FAILED' OR coalesce(p_own.proven_at, p_own.since) < now() - interval '3 days' THEN 'UNPROVEN'
        ELSE 'WORKING' END
$$;
