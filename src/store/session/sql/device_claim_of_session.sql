-- The code that was typed last in a session, and the device that showed it. Nothing after ten minutes.
-- scope: principal :person
SELECT c.user_code, c.state, encode(c.device, 'hex') AS device, c.host, c.address, api_date(c.asked_at) AS asked
  FROM device_claim c
 WHERE c.session_id = :session AND c.person_id = :person AND c.claimed_at > now() - interval '10 minutes'
