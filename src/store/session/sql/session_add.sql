-- Begins a session of a person. One that was begun with less than they have (a password beside a passkey) has not confirmed anything. None begins with a provider
-- that is not any more what it was when it was asked.
-- scope: principal :person
INSERT INTO console_session (id, person_id, provider_id, mac, pepper_version, expires_at, verified_at, address, browser)
SELECT :session, :person, :provider::bytea, :mac, :pepper_version::int, now() + interval '12 hours', now() - CASE WHEN :is_verified::boolean THEN interval '0' ELSE interval '1 day' END,
       :address::text, :browser::text
 WHERE :provider::bytea IS NULL OR provider_is_as_seen(:provider::bytea, :epoch::bigint)
RETURNING api_date(expires_at) AS expires
