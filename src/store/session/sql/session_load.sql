-- A session that has not ended: whose it is, and how long ago and from now what happens to it. The cookie is compared with the MAC by the caller.
-- scope: none, because whoever shows the cookie is not known yet; its value has 256 bits that cannot be guessed
SELECT encode(s.person_id, 'hex') AS person, encode(s.mac, 'hex') AS mac,
       (extract(epoch FROM least(s.expires_at, s.used_at + interval '30 minutes') - now()) * 1000)::bigint AS left_ms,
       (extract(epoch FROM now() - s.verified_at) * 1000)::bigint AS verified_ms
  FROM console_session s
 WHERE s.id = :id AND s.expires_at > now() AND s.used_at > now() - interval '30 minutes'
