-- The sessions of a person that have not ended, newest first.
-- scope: principal :person
SELECT coalesce(jsonb_agg(jsonb_build_object('sessionId', encode(s.id, 'hex'), 'createdAt', api_date(s.created_at), 'usedAt', api_date(s.used_at),
                                             'expiresAt', api_date(s.expires_at), 'address', s.address, 'browser', s.browser)
                          ORDER BY s.created_at DESC, s.id), '[]')::text AS list
  FROM console_session s
 WHERE s.person_id = :person AND s.expires_at > now() AND s.used_at > now() - interval '30 minutes'
