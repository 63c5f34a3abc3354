-- Whether nothing that decides about a provider's tokens has changed since it was looked at. It stays so until the transaction ends.
CREATE OR REPLACE FUNCTION provider_is_as_seen(p_provider bytea, p_epoch bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM FROM identity_provider p WHERE p.id = p_provider AND p.keys_epoch = p_epoch AND p.status = 'ACTIVE' FOR SHARE;
    RETURN FOUND;
END $$;
