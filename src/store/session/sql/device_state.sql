-- What became of a device that asks: whether its code was used, and what somebody who typed what it shows has decided. A refusal counts before anything else.
-- scope: none, because nobody is known yet; the device's code has a MAC that cannot be guessed
SELECT EXISTS (SELECT FROM used_challenge u WHERE u.challenge = :device) AS is_used,
       (SELECT c.state FROM device_claim c
         WHERE c.user_code = :user_code::text AND (c.device = :device OR (c.device IS NULL AND c.state = 'LOOKING')) AND c.claimed_at > now() - interval '10 minutes'
         ORDER BY array_position(ARRAY['DENIED', 'APPROVED', 'LOOKING', 'FOUND'], c.state), c.session_id LIMIT 1) AS state
