-- A token with which an operator adds their first passkey; the one before it ends. No row when there is no such operator, or their days are over; is_enrolled: they have a
-- passkey already, and get no token.
-- scope: none, because operators belong to no organization
WITH who AS (
    SELECT o.id, EXISTS (SELECT FROM operator_passkey k WHERE k.operator_id = o.id) AS is_enrolled
      FROM operator o WHERE o.name = :name::text AND o.expires_at > now()
), made AS (
    INSERT INTO operator_enrolment (operator_id, mac, expires_at)
    SELECT who.id, :mac, now() + :hours::bigint * interval '1 hour' FROM who WHERE NOT who.is_enrolled
    ON CONFLICT (operator_id) DO UPDATE SET mac = EXCLUDED.mac, created_at = now(), expires_at = EXCLUDED.expires_at
    RETURNING api_date(expires_at) AS expires
)
SELECT who.is_enrolled, (SELECT made.expires FROM made) AS expires FROM who
