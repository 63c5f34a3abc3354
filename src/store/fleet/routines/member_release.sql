-- A member leaves its host: what it had reserved is free for others. False when it is gone already.
CREATE OR REPLACE FUNCTION member_release(p_member bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_member cluster_member;
BEGIN
    PERFORM placement_lock();
    SELECT * INTO v_member FROM cluster_member m WHERE m.id = p_member AND reeve_acts_for(m.org_id) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE host_address a SET member_id = NULL WHERE a.member_id = p_member;
    UPDATE host h SET used_cpus = h.used_cpus - v_member.cpus, used_memory_mb = h.used_memory_mb - v_member.memory_mb,
        used_disk_gb = h.used_disk_gb - v_member.disk_gb
        WHERE h.id = v_member.host_id;
    UPDATE certificate c SET revoked_at = now()
        WHERE c.kind = 'MEMBER' AND c.owner = encode(p_member, 'hex') AND c.revoked_at IS NULL;
    DELETE FROM cluster_member m WHERE m.id = p_member;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION member_release(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION member_release(bytea) TO reeve_tenant;
