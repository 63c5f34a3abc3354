-- Finds a host for a member and reserves what it needs there: processors, memory, disk and an address, of the project's own block where
-- it has one. Hosts of regions that were asked for only; members of one cluster never share a host. NULL when there is no room.
CREATE OR REPLACE FUNCTION member_place(p_cluster bytea, p_ordinal int, p_provider text, p_region text, p_size text, p_disk_gb int,
                                        p_electable boolean, p_priority int, p_analytics boolean) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_cluster cluster;
    v_size instance_size;
    v_disk_gb int;
    v_host bytea;
    v_member bytea;
    v_zones text[];
    v_block cidr;
    v_is_keyed boolean := cluster_is_keyed(p_cluster);
BEGIN
    SELECT * INTO v_cluster FROM cluster c WHERE c.id = p_cluster AND reeve_acts_for(c.org_id);
    SELECT * INTO v_size FROM instance_size s WHERE s.name = p_size;
    IF v_cluster.id IS NULL OR v_size.name IS NULL THEN
        RETURN NULL;
    END IF;
    v_disk_gb := coalesce(nullif(p_disk_gb, 0), v_size.disk_gb);
    PERFORM placement_lock(); -- what follows sees everything that was placed before
    SELECT m.id INTO v_member FROM cluster_member m WHERE m.cluster_id = p_cluster AND m.ordinal = p_ordinal;
    IF FOUND THEN
        RETURN v_member; -- a step that is run again
    END IF;
    SELECT n.block INTO v_block FROM network_container n
        WHERE n.project_id = v_cluster.project_id AND n.provider = p_provider AND n.region = p_region;
    v_zones := ARRAY(SELECT h.zone FROM cluster_member m JOIN host h ON h.id = m.host_id
                     WHERE m.cluster_id = p_cluster AND h.provider = p_provider AND h.region = p_region);
    SELECT h.id INTO v_host
    FROM host h
    WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' AND h.provider = p_provider AND h.region = p_region
      AND h.cpus - h.used_cpus >= v_size.cpus
      AND h.memory_mb - h.used_memory_mb >= v_size.memory_mb
      AND h.disk_gb - h.used_disk_gb >= v_disk_gb
      AND EXISTS (SELECT FROM host_address a WHERE a.host_id = h.id AND a.member_id IS NULL
                    AND address_is_for(a, v_block))
      AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.cluster_id = p_cluster AND m.host_id = h.id)
      AND (NOT v_is_keyed OR coalesce((h.facts ->> 'encrypts')::boolean, false))
    ORDER BY h.last_seen_at IS NULL OR h.last_seen_at < now() - interval '1 minute', -- silent ones only when there is no other
             cardinality(array_positions(v_zones, h.zone)),
             greatest(h.used_cpus / nullif(h.cpus, 0), h.used_memory_mb::numeric / nullif(h.memory_mb, 0),
                      h.used_disk_gb::numeric / nullif(h.disk_gb, 0)),
             h.id
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM project_access_make(v_cluster.project_id); -- its names need the project's label
    v_member := reeve_new_id(p_cluster);
    UPDATE host h SET used_cpus = h.used_cpus + v_size.cpus, used_memory_mb = h.used_memory_mb + v_size.memory_mb,
        used_disk_gb = h.used_disk_gb + v_disk_gb
        WHERE h.id = v_host;
    INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb, electable, priority, analytics)
        VALUES (v_member, v_cluster.org_id, p_cluster, v_host, p_ordinal, p_size, v_size.cpus, v_size.memory_mb, v_disk_gb,
                coalesce(p_electable, true), coalesce(p_priority, 7), coalesce(p_analytics, false));
    UPDATE host_address a SET member_id = v_member
        WHERE a.address = (SELECT f.address FROM host_address f WHERE f.host_id = v_host AND f.member_id IS NULL
                             AND address_is_for(f, v_block)
                           ORDER BY f.address LIMIT 1);
    RETURN v_member;
END $$;
REVOKE ALL ON FUNCTION member_place(bytea, integer, text, text, text, integer, boolean, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION member_place(bytea, integer, text, text, text, integer, boolean, integer, boolean) TO reeve_tenant;

-- The same for statements of nodes of the version before, while nodes are upgraded.
CREATE OR REPLACE FUNCTION member_place(p_cluster bytea, p_ordinal int, p_provider text, p_region text, p_size text, p_disk_gb int,
                                        p_electable boolean, p_priority int) RETURNS bytea LANGUAGE sql
    RETURN member_place(p_cluster, p_ordinal, p_provider, p_region, p_size, p_disk_gb, p_electable, p_priority, false);
