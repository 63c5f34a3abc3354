-- How a network container looks in the API.
CREATE OR REPLACE FUNCTION container_json(n network_container, p_used boolean) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(n.id, 'hex'),
        'providerName', n.provider,
        'regionName', n.region,
        'serviceCidrBlock', n.block::text,
        'provisioned', p_used)::text
$$;
