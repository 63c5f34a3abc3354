-- The sessions of a person that have not ended, newest first. Whoever came with a provider sees those that did, too: other ones open what is not theirs to see.
-- scope: principal :person
SELECT coalesce(jsonb_agg(jsonb_build_object('sessionId', encode(s.id, 'hex'), 'createdAt', api_date(s.created_at), 'usedAt', api_date(s.used_at),
                                             'expiresAt', api_date(s.expires_at), 'address', s.address, 'browser', s.browser, 'kind', s.kind, 'host', s.host,
                                             'identityProviderId', encode(s.provider_id, 'hex'))
                          ORDER BY s.created_at DESC, s.id), '[]')::text AS list
  FROM console_session s
 WHERE s.person_id = :person AND s.expires_at > now() AND s.used_at > now() - s.idle AND session_is_let_in(s)
   AND (:provider::bytea IS NULL OR s.provider_id = :provider::bytea)
