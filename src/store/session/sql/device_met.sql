-- The device that shows a code that somebody typed is there: they see what it is.
-- scope: none, because the device is nobody yet; only what signed-in people typed is changed
UPDATE device_claim SET state = 'FOUND', device = :device, host = :host::text, address = :address::text, asked_at = to_timestamp(:asked_at_s::bigint)
 WHERE user_code = :user_code::text AND state = 'LOOKING' AND claimed_at > now() - interval '10 minutes'
