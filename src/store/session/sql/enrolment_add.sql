-- A token with which a person adds their first passkey; the one before it ends. No row when there is no such person; is_enrolled: they have a passkey already,
-- and get no token.
-- scope: none, because only commands on a node do this
WITH who AS (
    SELECT n.id, EXISTS (SELECT FROM passkey k WHERE k.person_id = n.id) AS is_enrolled
      FROM person n WHERE lower(n.username) = lower(:username::text)
), made AS (
    INSERT INTO enrolment (person_id, mac, pepper_version, expires_at)
    SELECT who.id, :mac, :pepper_version::int, now() + :hours::bigint * interval '1 hour' FROM who WHERE NOT who.is_enrolled
    ON CONFLICT (person_id) DO UPDATE SET mac = EXCLUDED.mac, pepper_version = EXCLUDED.pepper_version, created_at = now(), expires_at = EXCLUDED.expires_at
    RETURNING api_date(expires_at) AS expires
)
SELECT who.is_enrolled, (SELECT made.expires FROM made) AS expires FROM who
