-- Another size on the same host; false, with nothing changed, when the host has no room for it.
CREATE OR REPLACE FUNCTION member_resize(p_member bytea, p_size text, p_disk_gb int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_member cluster_member;
    v_size instance_size;
BEGIN
    PERFORM placement_lock();
    SELECT * INTO v_member FROM cluster_member m WHERE m.id = p_member AND reeve_acts_for(m.org_id) FOR UPDATE;
    SELECT * INTO v_size FROM instance_size s WHERE s.name = p_size;
    IF v_member.id IS NULL OR v_size.name IS NULL THEN
        RETURN false;
    END IF;
    UPDATE host h SET used_cpus = h.used_cpus - v_member.cpus + v_size.cpus,
        used_memory_mb = h.used_memory_mb - v_member.memory_mb + v_size.memory_mb,
        used_disk_gb = h.used_disk_gb - v_member.disk_gb + p_disk_gb
        WHERE h.id = v_member.host_id
          AND h.used_cpus - v_member.cpus + v_size.cpus <= h.cpus
          AND h.used_memory_mb - v_member.memory_mb + v_size.memory_mb <= h.memory_mb
          AND h.used_disk_gb - v_member.disk_gb + p_disk_gb <= h.disk_gb;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE cluster_member m SET size = v_size.name, cpus = v_size.cpus, memory_mb = v_size.memory_mb, disk_gb = p_disk_gb
        WHERE m.id = p_member;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION member_resize(bytea, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION member_resize(bytea, text, integer) TO reeve_tenant;
