-- The person of a session lets the device that they saw in, or not. No row when it is another one, or was decided on already.
-- scope: principal :person
UPDATE device_claim SET state = :state::text, tries = 0
 WHERE session_id = :session AND person_id = :person AND device = :device AND state = 'FOUND' AND claimed_at > now() - interval '10 minutes'
