-- Whether people can be sent to a provider's pages: it is on, somebody uses it, and everything that is needed is known.
CREATE OR REPLACE FUNCTION provider_takes_people(p identity_provider) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT p.status = 'ACTIVE' AND NOT provider_is_for_programs(p) AND EXISTS (SELECT FROM connected_organization c WHERE c.provider_id = p.id)
           AND CASE p.protocol WHEN 'OIDC' THEN p.pages IS NOT NULL AND p.settings ->> 'clientId' IS NOT NULL
                               ELSE p.settings ->> 'ssoUrl' IS NOT NULL AND jsonb_array_length(p.settings #> '{hidden,certificates}') > 0 END
$$;
