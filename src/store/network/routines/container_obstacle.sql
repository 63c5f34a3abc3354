-- Why a project cannot have this block in this region; NULL when nothing but another container can be in the way. Until the
-- transaction ends nothing is placed.
--   REGION     there is no such region
--   EMPTY      the pool of the region has no address in it
--   ELSEWHERE  it has addresses of another region, which nobody could use any more
--   TAKEN      members of other projects have addresses in it
--   TOO_LARGE  less would be left for all others together than it has
CREATE OR REPLACE FUNCTION container_obstacle(p_project bytea, p_provider text, p_region text, p_block cidr) RETURNS text
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
REVOKE ALL ON FUNCTION container_obstacle(bytea, text, text, cidr) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION container_obstacle(bytea, text, text, cidr) TO reeve_tenant;
