-- The sessions of an operator that have not ended, newest first.
-- scope: none, because operators belong to no organization
SELECT coalesce(jsonb_agg(jsonb_build_object('sessionId', encode(s.id, 'hex'), 'createdAt', api_date(s.created_at), 'usedAt', api_date(s.used_at),
                                             'expiresAt', api_date(s.expires_at), 'address', s.address, 'browser', s.browser)
                          ORDER BY s.created_at DESC, s.id), '[]')::text AS list
  FROM operator_session s
 WHERE s.operator_id = :operator_id AND s.expires_at > now() AND s.used_at > now() - interval '30 minutes'
