-- How service accounts and API keys look in the API. Their roles are those of the context that asks: a project, or the
-- organization when p_project is NULL. The functions run with the rights of who calls them.
CREATE FUNCTION roles_json(p_principal bytea, p_org bytea, p_project bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(g.role ORDER BY g.role), '[]')
    FROM role_grant g
    WHERE g.principal_id = p_principal AND g.org_id = p_org AND g.project_id IS NOT DISTINCT FROM p_project
$$;

-- Every role of a key, with where it is granted.
CREATE FUNCTION role_assignments_json(p_principal bytea, p_org bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(
        CASE WHEN g.project_id IS NULL
             THEN json_build_object('orgId', encode(g.org_id, 'hex'), 'roleName', g.role)
             ELSE json_build_object('groupId', encode(g.project_id, 'hex'), 'roleName', g.role) END
        ORDER BY g.project_id NULLS FIRST, g.role), '[]')
    FROM role_grant g
    WHERE g.principal_id = p_principal AND g.org_id = p_org
$$;

CREATE FUNCTION secret_json(s service_account_secret) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(s.id, 'hex'),
        'createdAt', api_date(s.created_at),
        'expiresAt', api_date(s.expires_at),
        'lastUsedAt', api_date(s.last_used_at),
        'maskedSecretValue', s.mask))
$$;

CREATE FUNCTION service_account_json(p_account bytea, p_org bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'clientId', 'reeve_sa_' || encode(a.id, 'hex'),
        'name', a.name,
        'description', a.description,
        'createdAt', api_date(p.created_at),
        'roles', roles_json(a.id, p_org, p_project),
        'secrets', (SELECT coalesce(json_agg(secret_json(s) ORDER BY s.id), '[]')
                    FROM service_account_secret s WHERE s.account_id = a.id AND s.org_id = p_org))::text
    FROM service_account a JOIN principal p ON p.id = a.id
    WHERE a.org_id = p_org AND a.id = p_account
$$;

CREATE FUNCTION api_key_json(p_key bytea, p_org bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(k.id, 'hex'),
        'publicKey', k.public_key,
        'privateKey', k.mask,
        'desc', k.description,
        'roles', role_assignments_json(k.id, p_org))::text
    FROM api_key k
    WHERE k.org_id = p_org AND k.id = p_key
$$;

CREATE FUNCTION access_entry_json(e access_list_entry) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'cidrBlock', text(e.block),
        'ipAddress', CASE WHEN masklen(e.block) = CASE family(e.block) WHEN 4 THEN 32 ELSE 128 END THEN host(e.block) END,
        'comment', nullif(e.comment, ''),
        'createdAt', api_date(e.created_at),
        'lastUsedAt', api_date(e.last_used_at)))::text
$$;
