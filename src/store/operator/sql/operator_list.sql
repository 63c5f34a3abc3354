-- The operators, without their tokens.
-- scope: none, because operators belong to no organization
SELECT coalesce(json_agg(json_build_object('name', o.name, 'createdAt', api_date(o.created_at), 'expiresAt', api_date(o.expires_at),
                                           'expired', o.expires_at <= now()) ORDER BY o.name), '[]')::text AS list
FROM operator o
