-- Begins the session of a device that somebody approved. The person proved who they are when they last did in the session in which they approved it. It ends after twelve hours
-- without use, and after thirty days, and opens what that session does. One that began with a provider makes devices as old as itself, so that what ends it ends them,
-- also those that have not asked yet; and they last twelve hours: the provider decides who gets in, also after somebody has left the company.
-- scope: none, because what was approved says whose it is
WITH taken AS (
    DELETE FROM device_claim c USING console_session s
     WHERE c.device = :device AND c.state = 'APPROVED' AND c.claimed_at > now() - interval '10 minutes' AND s.id = c.session_id AND s.expires_at > now()
    RETURNING c.person_id, c.host, s.verified_at, s.provider_id, s.created_at, c.session_id
)
INSERT INTO console_session (id, person_id, provider_id, mac, pepper_version, created_at, expires_at, idle, kind, host, address, browser, verified_at)
SELECT :session, taken.person_id, taken.provider_id, :mac, :pepper_version::int, CASE WHEN taken.provider_id IS NULL THEN now() ELSE taken.created_at END,
       now() + CASE WHEN taken.provider_id IS NULL THEN interval '30 days' ELSE interval '12 hours' END, interval '12 hours', 'DEVICE', taken.host, :address::text, :browser::text, taken.verified_at
  FROM taken
 ORDER BY taken.session_id LIMIT 1
RETURNING extract(epoch FROM expires_at - now())::bigint AS lasts_s
