-- What draining a host would do now: which member goes where, as member_place() would decide, one cluster after the other. It is tried and taken back, so what it says is
-- what would happen if nothing else happened meanwhile. A member of a cluster that is paused moves when that is resumed.
CREATE OR REPLACE FUNCTION host_drain_plan(p_host bytea) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_member record;
    v_new bytea;
    v_to text;
    v_moves jsonb := '[]';
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'hosts are drained by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    BEGIN
        UPDATE host h SET state = 'DRAINING' WHERE h.id = p_host AND h.state = 'ACTIVE';
        FOR v_member IN
            SELECT m.*, c.name AS cluster, c.set_name, c.host_label, p.name AS project, o.name AS organization, h.provider, h.region,
                   EXISTS (SELECT FROM resource r WHERE r.scope = c.project_id AND r.kind = 'maintenanceWindow') AS has_window
            FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id JOIN project p ON p.id = c.project_id JOIN organization o ON o.id = c.org_id JOIN host h ON h.id = m.host_id
            WHERE m.host_id = p_host ORDER BY c.id, m.ordinal LOOP
            v_to := NULL;
            IF v_member.desired IN ('PLANNED', 'RUNNING') THEN
                -- A number that no member of the cluster has, nor ever gets: it is gone again below.
                v_new := member_place(v_member.cluster_id, -1 - v_member.ordinal, v_member.provider, v_member.region, v_member.size, v_member.disk_gb, v_member.electable, v_member.priority, v_member.analytics);
                SELECT h.name INTO v_to FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.id = v_new;
            END IF;
            v_moves := v_moves || jsonb_build_object('member', member_name(v_member.set_name, v_member.host_label, v_member.ordinal), 'cluster', v_member.cluster, 'project', v_member.project,
                'organization', v_member.organization, 'role', v_member.role, 'size', v_member.size, 'diskGb', v_member.disk_gb, 'to', v_to,
                'switchover', v_member.role = 'PRIMARY' AND v_to IS NOT NULL,
                'waitsFor', CASE WHEN v_member.desired = 'REMOVED' THEN 'nothing: it is being removed'
                                 WHEN v_member.desired = 'STOPPED' THEN 'its cluster is paused, and has to be resumed'
                                 WHEN v_to IS NULL THEN 'no other host of ' || v_member.region || ' has room for it'
                                 WHEN v_member.has_window THEN 'the maintenance window of its project' END);
        END LOOP;
        RAISE EXCEPTION 'taken back' USING ERRCODE = 'RV001';
    EXCEPTION WHEN SQLSTATE 'RV001' THEN
        NULL;
    END;
    RETURN v_moves;
END $$;
REVOKE ALL ON FUNCTION host_drain_plan(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION host_drain_plan(bytea) TO reeve_tenant;
