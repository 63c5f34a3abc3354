-- Whether people of all domains of the federation can sign in with a provider, if they name it: so it can be tried before addresses lead to it.
CREATE OR REPLACE FUNCTION provider_is_tried_out(p identity_provider) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT p.protocol = 'SAML' AND coalesce((p.settings ->> 'ssoDebugEnabled')::boolean, false)
$$;
