-- Begins a session of a person.
-- scope: principal :person
INSERT INTO console_session (id, person_id, mac, pepper_version, expires_at, address, browser)
VALUES (:session, :person, :mac, :pepper_version::int, now() + interval '12 hours', :address::text, :browser::text)
RETURNING api_date(expires_at) AS expires
