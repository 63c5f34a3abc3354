-- Restarts that settings need, and hosts that are lost.

ALTER TABLE cluster ADD COLUMN restart_generation bigint NOT NULL DEFAULT 0; -- the goal that members must restart for; 0: none

-- The members of a cluster with where they are. What a host said last may be long ago: a primary of an older timeline is none, and
-- nobody is anything on a host that was given up.
CREATE OR REPLACE FUNCTION cluster_members(p_cluster bytea)
RETURNS TABLE (id bytea, ordinal int, desired text, size text, disk_gb int, electable boolean, priority int, provider text,
               region text, host_leaves boolean, host_gone boolean, address text, private_address text, unit text, role text, running text,
               version text, applied_goal bigint, restart_nonce bigint, restart_goal bigint, applied_restart bigint, pending_restart boolean,
               problem text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT m.id, m.ordinal, m.desired, m.size, m.disk_gb, m.electable, m.priority, h.provider, h.region, h.state <> 'ACTIVE',
           h.state = 'REMOVED', host(a.address), host(a.private_address), m.unit,
           CASE WHEN h.state = 'REMOVED' OR (m.role = 'PRIMARY' AND m.timeline < max(m.timeline) FILTER (WHERE m.role = 'PRIMARY') OVER ())
                THEN 'NONE' ELSE m.role END,
           m.running, m.version, m.applied_goal, m.restart_nonce, m.restart_goal, m.applied_restart, m.pending_restart, m.problem
    FROM cluster_member m JOIN host h ON h.id = m.host_id LEFT JOIN host_address a ON a.member_id = m.id
    WHERE m.cluster_id = p_cluster AND reeve_acts_for(m.org_id)
    ORDER BY m.ordinal
$$;

-- As before, and of hosts that were given up: nobody is left on them who could say anything.
CREATE OR REPLACE FUNCTION host_move_clusters(p_host bytea, p_kind text, p_first_step text, p_steps int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_added bigint;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'hosts are emptied by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    WITH added AS (
        INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, step, step_count)
        SELECT reeve_new_id(c.id), c.org_id, c.project_id, p_kind, c.id, c.name, p_first_step, p_steps
        FROM cluster c
        WHERE EXISTS (SELECT FROM cluster_member m JOIN host h ON h.id = m.host_id
                      WHERE m.cluster_id = c.id AND m.host_id = p_host AND h.state IN ('DRAINING', 'REMOVED'))
          AND NOT EXISTS (SELECT FROM job j WHERE j.subject = c.id AND j.kind = p_kind AND j.state IN ('QUEUED', 'RUNNING'))
        RETURNING subject)
    SELECT count(pg_notify('reeve_job', encode(a.subject, 'hex'))) INTO v_added FROM added a;
    -- One that the operator has activated again may keep them.
    RETURN (SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.host_id = p_host
            AND h.state IN ('DRAINING', 'REMOVED'));
END $$;
