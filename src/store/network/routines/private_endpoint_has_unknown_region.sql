-- Whether one of the regions is none of the provider's.
CREATE OR REPLACE FUNCTION private_endpoint_has_unknown_region(p_provider text, p_regions text[]) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM unnest(p_regions) n WHERE NOT EXISTS (SELECT FROM region r WHERE r.provider = p_provider AND r.name = n))
$$;
REVOKE ALL ON FUNCTION private_endpoint_has_unknown_region(text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION private_endpoint_has_unknown_region(text, text[]) TO reeve_tenant;
