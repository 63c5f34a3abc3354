-- What agents say is in their facts: "walls" is a list of "<member id>=<phase>" for what is in force. A host without the list has an
-- agent from before. A member that was never reported begins with what it is told.
CREATE OR REPLACE FUNCTION cluster_walls_settle(p_clusters bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_moved bytea[];
BEGIN
    WITH reached AS (
        SELECT m.cluster_id, min(CASE
                   WHEN NOT h.facts ? 'walls' THEN 0
                   WHEN m.reported_at IS NULL THEN 3
                   WHEN h.facts -> 'walls' ? (encode(m.id, 'hex') || '=CLOSED') THEN 3
                   WHEN h.facts -> 'walls' ? (encode(m.id, 'hex') || '=CHANGE') THEN 2
                   WHEN h.facts -> 'walls' ? (encode(m.id, 'hex') || '=PREPARE') THEN 1
                   ELSE 0 END) AS least
        FROM cluster_member m JOIN host h ON h.id = m.host_id
        WHERE m.cluster_id = ANY (p_clusters) AND m.desired <> 'REMOVED' AND h.state <> 'REMOVED'
        GROUP BY m.cluster_id
    ), moved AS (
        INSERT INTO cluster_walls AS w (cluster_id, phase)
        SELECT r.cluster_id, CASE r.least WHEN 0 THEN 'PREPARE' WHEN 1 THEN 'CHANGE' ELSE 'CLOSED' END FROM reached r ORDER BY 1
        ON CONFLICT (cluster_id) DO UPDATE SET phase = excluded.phase WHERE w.phase <> excluded.phase
        RETURNING w.cluster_id
    )
    SELECT array_agg(m.host_id::bytea) INTO v_moved FROM cluster_member m JOIN moved USING (cluster_id)
        WHERE m.desired <> 'PLANNED'; -- of those nobody is told yet
    IF v_moved IS NOT NULL THEN
        PERFORM goal_touch_hosts(v_moved);
    END IF;
END $$;
REVOKE ALL ON FUNCTION cluster_walls_settle(bytea[]) FROM PUBLIC;
