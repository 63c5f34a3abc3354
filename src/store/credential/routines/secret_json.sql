-- How a secret of a service account looks in the API: never itself, only its mask.
CREATE OR REPLACE FUNCTION secret_json(s service_account_secret) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(s.id, 'hex'),
        'createdAt', api_date(s.created_at),
        'expiresAt', api_date(s.expires_at),
        'lastUsedAt', api_date(s.last_used_at),
        'maskedSecretValue', s.mask))
$$;
