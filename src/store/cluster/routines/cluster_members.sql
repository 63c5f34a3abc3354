-- The members of a cluster with where they are. What a host said last may be long ago: a primary of an older timeline is none, and
-- nobody is anything on a host that was given up.
CREATE OR REPLACE FUNCTION cluster_members(p_cluster bytea)
RETURNS TABLE (id bytea, ordinal int, desired text, size text, disk_gb int, electable boolean, analytics boolean, priority int, provider text,
               region text, host_leaves boolean, host_gone boolean, address text, private_address text, unit text, role text, running text,
               version text, applied_goal bigint, restart_nonce bigint, restart_goal bigint, applied_restart bigint, pending_restart boolean,
               problem text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT m.id, m.ordinal, m.desired, m.size, m.disk_gb, m.electable, m.analytics, m.priority, h.provider, h.region, h.state <> 'ACTIVE',
           h.state = 'REMOVED', host(a.address), host(a.private_address), m.unit,
           CASE WHEN h.state = 'REMOVED' OR (m.role = 'PRIMARY' AND m.timeline < max(m.timeline) FILTER (WHERE m.role = 'PRIMARY' AND h.state <> 'REMOVED') OVER ())
                THEN 'NONE' ELSE m.role END,
           m.running, m.version, m.applied_goal, m.restart_nonce, m.restart_goal, m.applied_restart, m.pending_restart, m.problem
    FROM cluster_member m JOIN host h ON h.id = m.host_id LEFT JOIN host_address a ON a.member_id = m.id
    WHERE m.cluster_id = p_cluster AND reeve_acts_for(m.org_id)
    ORDER BY m.ordinal
$$;
REVOKE ALL ON FUNCTION cluster_members(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_members(bytea) TO reeve_tenant;
