-- A token with which a person adds their first passkey or password; the one before it ends. No row when there is no such person; is_enrolled: they have one
-- already, and get no token, unless it is to take the place of everything that they have.
-- scope: none, because only commands on a node do this, and who accepts an invitation and had no account
WITH who AS (
    SELECT n.id, EXISTS (SELECT FROM passkey k WHERE k.person_id = n.id) OR EXISTS (SELECT FROM password w WHERE w.person_id = n.id) AS is_enrolled
      FROM person n WHERE lower(n.username) = lower(:username::text)
), made AS (
    INSERT INTO enrolment (person_id, mac, pepper_version, expires_at, is_recovery)
    SELECT who.id, :mac, :pepper_version::int, now() + :hours::bigint * interval '1 hour', :recovers::boolean
      FROM who WHERE :recovers::boolean OR NOT who.is_enrolled
    ON CONFLICT (person_id) DO UPDATE SET mac = EXCLUDED.mac, pepper_version = EXCLUDED.pepper_version, created_at = now(), expires_at = EXCLUDED.expires_at,
                                          is_recovery = EXCLUDED.is_recovery
    RETURNING api_date(expires_at) AS expires
)
SELECT who.is_enrolled, (SELECT made.expires FROM made) AS expires FROM who
