-- A session that has not ended: whose it is, and how long ago and from now what happens to it. The cookie or token is compared with the MAC by the caller.
-- scope: none, because whoever shows the cookie is not known yet; its value has 256 bits that cannot be guessed
SELECT encode(s.person_id, 'hex') AS person, encode(s.mac, 'hex') AS mac, s.kind = 'DEVICE' AS is_device, encode(s.provider_id, 'hex') AS provider,
       (extract(epoch FROM least(s.expires_at, s.used_at + s.idle) - now()) * 1000)::bigint AS left_ms,
       (extract(epoch FROM now() - s.verified_at) * 1000)::bigint AS verified_ms
  FROM console_session s
 WHERE s.id = :id AND s.expires_at > now() AND s.used_at > now() - s.idle AND session_is_let_in(s)
