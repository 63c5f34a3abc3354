-- How a service account looks in the API. Its roles are those of the context that asks: a project, or the organization when
-- p_project is NULL.
CREATE OR REPLACE FUNCTION service_account_json(p_account bytea, p_org bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'clientId', 'reeve_sa_' || encode(a.id, 'hex'),
        'name', a.name,
        'description', a.description,
        'createdAt', api_date(p.created_at),
        'roles', roles_json(a.id, p_org, p_project),
        'secrets', (SELECT coalesce(json_agg(secret_json(s) ORDER BY s.id), '[]')
                    FROM service_account_secret s WHERE s.account_id = a.id AND s.org_id = p_org),
        'trustedIdentities', (SELECT coalesce(json_agg(json_build_object('identityProviderId', encode(t.provider_id, 'hex'), 'subject', t.subject)
                                                       ORDER BY t.provider_id, t.subject), '[]')
                              FROM trusted_program t WHERE t.account_id = a.id AND t.org_id = p_org))::text
    FROM service_account a JOIN principal p ON p.id = a.id
    WHERE a.org_id = p_org AND a.id = p_account
$$;
