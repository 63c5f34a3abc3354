-- Everything about a provider that decides about its tokens and answers. A SAML provider that is being tried out stands for all domains of its federation. Keys that could not be fetched again for a day are not believed any more.
CREATE OR REPLACE FUNCTION identity_provider_facts(p identity_provider) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(p.id, 'hex'),
        'protocol', p.protocol,
        'displayName', p.settings ->> 'displayName',
        'issuer', p.issuer_uri,
        'audience', p.settings ->> 'audience',
        'clientId', p.settings ->> 'clientId',
        'userClaim', p.settings ->> 'userClaim',
        'groupsClaim', CASE WHEN p.settings ->> 'authorizationType' = 'GROUP' THEN p.settings ->> 'groupsClaim' END,
        'scopes', coalesce(p.settings -> 'requestedScopes', '["email"]'),
        'domains', (SELECT coalesce(json_agg(d.domain), '[]') FROM federation_domain d
                    WHERE d.federation_id = p.federation_id AND (d.domain = ANY (p.domains) OR provider_is_tried_out(p))),
        'member', (SELECT encode(o.id, 'hex') FROM organization o WHERE o.federation_id = p.federation_id ORDER BY o.id LIMIT 1),
        'federation', encode(p.federation_id, 'hex'),
        'pages', p.pages,
        'saml', CASE WHEN p.protocol = 'SAML' THEN jsonb_build_object(
            'ssoUrl', p.settings -> 'ssoUrl',
            'requestBinding', p.settings -> 'requestBinding',
            'responseSignatureAlgorithm', p.settings -> 'responseSignatureAlgorithm',
            'acsUrl', p.settings -> 'acsUrl',
            'audienceUri', p.settings -> 'audienceUri',
            'certificates', p.settings #> '{hidden,certificates}') END,
        'epoch', p.keys_epoch,
        'keys', CASE WHEN p.keys_fetched_at > now() - interval '1 day' THEN p.keys ELSE '[]' END)
$$;
