-- Whether a member has an address of the block.
CREATE OR REPLACE FUNCTION container_is_used(n network_container) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM host_address a
                   JOIN cluster_member m ON m.id = a.member_id
                   JOIN cluster c ON c.id = m.cluster_id
                   WHERE c.project_id = n.project_id AND pool_private(a) <<= n.block)
$$;
