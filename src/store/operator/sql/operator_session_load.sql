-- A session that has not ended, of an operator whose days are not over. The cookie is compared with the MAC by the caller. is_due: its use is to be noted.
-- scope: none, because operators belong to no organization
SELECT encode(s.operator_id, 'hex') AS operator, o.name, encode(s.mac, 'hex') AS mac,
       (extract(epoch FROM now() - s.verified_at) * 1000)::bigint AS verified_ms, now() - s.used_at > interval '1 minute' AS is_due
  FROM operator_session s
  JOIN operator o ON o.id = s.operator_id
 WHERE s.id = :session AND s.expires_at > now() AND s.used_at > now() - interval '30 minutes' AND o.expires_at > now()
