-- Somebody typed a device's code in their session: from now on the device that shows it is looked for. No row when too many codes were typed in the session.
-- scope: principal :person
INSERT INTO device_claim (session_id, person_id, user_code) VALUES (:session, :person, :user_code::text)
ON CONFLICT (session_id) DO UPDATE
   SET user_code = EXCLUDED.user_code, tries = device_claim.tries + 1, claimed_at = now(), state = 'LOOKING', device = NULL, host = NULL, address = NULL, asked_at = NULL
 WHERE device_claim.tries < :most::bigint
