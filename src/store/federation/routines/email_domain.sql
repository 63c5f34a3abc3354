-- What stands behind the @.
CREATE OR REPLACE FUNCTION email_domain(p_address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT lower(split_part(p_address, '@', 2))
$$;
