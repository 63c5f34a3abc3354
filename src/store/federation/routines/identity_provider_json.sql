-- How an identity provider looks in the API, with the organizations that use it.
CREATE OR REPLACE FUNCTION identity_provider_json(p identity_provider) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT (jsonb_build_object(
        'id', encode(p.id, 'hex'),
        'protocol', p.protocol,
        'idpType', 'WORKFORCE',
        'status', p.status,
        'issuerUri', p.issuer_uri,
        'associatedDomains', to_jsonb(p.domains),
        'createdAt', api_date(p.created_at),
        'updatedAt', api_date(p.updated_at),
        'associatedOrgs', (SELECT coalesce(json_agg(connected_organization_json(c.org_id) ORDER BY c.org_id), '[]')
                           FROM connected_organization c
                           WHERE c.provider_id = p.id
                              OR c.org_id IN (SELECT t.org_id FROM trusted_program t WHERE t.provider_id = p.id)))
        || CASE WHEN p.protocol = 'OIDC' THEN jsonb_strip_nulls(jsonb_build_object(
               'keyIds', (SELECT coalesce(json_agg(k ->> 'kid'), '[]') FROM jsonb_array_elements(coalesce(p.keys, '[]')) k),
               'keysFetchedAt', api_date(p.keys_fetched_at),
               'keysError', p.keys_error)) ELSE '{}' END
        || (p.settings - 'hidden'))::text
$$;
