-- Where the role of that name writes, for whoever has the external id that it was made for; nothing for anybody else. Tenants see no roles otherwise.
CREATE OR REPLACE FUNCTION store_role_assume(p_arn text, p_external text) RETURNS TABLE (id bytea, endpoint text, region text, bucket text, prefix text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT s.id::bytea, o.endpoint, o.region, s.bucket, s.prefix
    FROM store_role s JOIN object_store o ON o.name = s.store
    WHERE s.external_id::text = p_external AND store_role_arn(s) = p_arn
$$;
REVOKE ALL ON FUNCTION store_role_assume(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION store_role_assume(text, text) TO reeve_tenant;
