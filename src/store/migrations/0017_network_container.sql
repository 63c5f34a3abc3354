-- Blocks of private addresses that belong to one project: its members get theirs from them, and nobody else's do.

-- The address of the pool as private networks know it.
CREATE FUNCTION pool_private(a host_address) RETURNS inet LANGUAGE sql IMMUTABLE
    RETURN coalesce(a.private_address, a.address);

CREATE TABLE network_container (
    id         reeve_id PRIMARY KEY,
    org_id     reeve_id NOT NULL,
    project_id reeve_id NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    provider   text NOT NULL,
    region     text NOT NULL,
    block      cidr NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT network_container_in_region UNIQUE (project_id, provider, region),
    -- Of all projects: there is one pool of addresses.
    CONSTRAINT network_container_apart EXCLUDE USING gist (block inet_ops WITH &&),
    FOREIGN KEY (provider, region) REFERENCES region (provider, name)
);
ALTER TABLE network_container ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON network_container TO reeve_reader;
CREATE POLICY reader ON network_container FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON network_container TO reeve_tenant;
CREATE POLICY tenant ON network_container TO reeve_tenant USING (org_id = reeve_organization());

CREATE FUNCTION network_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE network_container SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER network_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION network_project_moved();

-- ---- How a container looks ----
CREATE FUNCTION container_is_used(n network_container) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM host_address a
                   JOIN cluster_member m ON m.id = a.member_id
                   JOIN cluster c ON c.id = m.cluster_id
                   WHERE c.project_id = n.project_id AND pool_private(a) <<= n.block)
$$;

CREATE FUNCTION container_json(n network_container, p_used boolean) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(n.id, 'hex'),
        'providerName', n.provider,
        'regionName', n.region,
        'serviceCidrBlock', n.block::text,
        'provisioned', p_used)::text
$$;

-- The same for transactions of tenants, which do not see the pool. Until the transaction ends nothing is placed: what is unused stays so.
CREATE FUNCTION container_is_held(p_container bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM placement_lock();
    RETURN EXISTS (SELECT FROM network_container n
                   WHERE n.id = p_container AND reeve_acts_for(n.org_id) AND container_is_used(n));
END $$;

-- Why a project cannot have this block in this region; NULL when nothing but another container can be in the way. Until the
-- transaction ends nothing is placed.
--   REGION     there is no such region
--   EMPTY      the pool of the region has no address in it
--   ELSEWHERE  it has addresses of another region, which nobody could use any more
--   TAKEN      members of other projects have addresses in it
--   TOO_LARGE  less would be left for all others together than it has
CREATE FUNCTION container_obstacle(p_project bytea, p_provider text, p_region text, p_block cidr) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_here bigint;
    v_elsewhere bigint;
    v_taken bigint;
    v_free bigint;
    v_left bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM project p WHERE p.id = p_project AND reeve_acts_for(p.org_id))
       OR NOT EXISTS (SELECT FROM region r WHERE r.provider = p_provider AND r.name = p_region) THEN
        RETURN 'REGION';
    END IF;
    PERFORM placement_lock();
    SELECT count(*) FILTER (WHERE h.provider = p_provider AND h.region = p_region),
           count(*) FILTER (WHERE h.provider <> p_provider OR h.region <> p_region),
           count(*) FILTER (WHERE c.project_id <> p_project),
           count(*) FILTER (WHERE a.member_id IS NULL)
    INTO v_here, v_elsewhere, v_taken, v_free
    FROM host_address a JOIN host h ON h.id = a.host_id
    LEFT JOIN cluster_member m ON m.id = a.member_id
    LEFT JOIN cluster c ON c.id = m.cluster_id
    WHERE pool_private(a) <<= p_block;
    SELECT count(*) INTO v_left
    FROM host_address a JOIN host h ON h.id = a.host_id
    WHERE h.provider = p_provider AND h.region = p_region AND a.member_id IS NULL AND NOT pool_private(a) <<= p_block
      AND NOT EXISTS (SELECT FROM network_container n WHERE n.project_id <> p_project AND pool_private(a) <<= n.block);
    RETURN CASE WHEN v_here = 0 THEN 'EMPTY' WHEN v_elsewhere > 0 THEN 'ELSEWHERE' WHEN v_taken > 0 THEN 'TAKEN'
                WHEN v_free > v_left THEN 'TOO_LARGE' END;
END $$;

-- ---- Where members are ----
-- Whether a member may have this address: one of its project's container in the region, if it has one there; otherwise one that is in
-- no container.
CREATE FUNCTION address_is_for(a host_address, p_block cidr) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_block IS NOT NULL THEN pool_private(a) <<= p_block
                ELSE NOT EXISTS (SELECT FROM network_container n WHERE n.block >>= pool_private(a)) END
$$;

-- As before, but for the two places that ask address_is_for(), and the block that they ask about.
CREATE OR REPLACE FUNCTION member_place(p_cluster bytea, p_ordinal int, p_provider text, p_region text, p_size text, p_disk_gb int,
                                        p_electable boolean, p_priority int) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_cluster cluster;
    v_size instance_size;
    v_disk_gb int;
    v_host bytea;
    v_member bytea;
    v_zones text[];
    v_block cidr;
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
    WHERE h.state = 'ACTIVE' AND h.provider = p_provider AND h.region = p_region
      AND h.cpus - h.used_cpus >= v_size.cpus
      AND h.memory_mb - h.used_memory_mb >= v_size.memory_mb
      AND h.disk_gb - h.used_disk_gb >= v_disk_gb
      AND EXISTS (SELECT FROM host_address a WHERE a.host_id = h.id AND a.member_id IS NULL
                    AND address_is_for(a, v_block))
      AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.cluster_id = p_cluster AND m.host_id = h.id)
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
    INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb, electable, priority)
        VALUES (v_member, v_cluster.org_id, p_cluster, v_host, p_ordinal, p_size, v_size.cpus, v_size.memory_mb, v_disk_gb,
                coalesce(p_electable, true), coalesce(p_priority, 7));
    UPDATE host_address a SET member_id = v_member
        WHERE a.address = (SELECT f.address FROM host_address f WHERE f.host_id = v_host AND f.member_id IS NULL
                             AND address_is_for(f, v_block)
                           ORDER BY f.address LIMIT 1);
    RETURN v_member;
END $$;

DO $$
DECLARE
    v_function text;
BEGIN
    FOREACH v_function IN ARRAY ARRAY['container_is_held(bytea)', 'container_obstacle(bytea, text, text, cidr)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_tenant', v_function);
    END LOOP;
END $$;
