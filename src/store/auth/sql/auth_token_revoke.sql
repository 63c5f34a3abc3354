-- Ends one token before its time, and forgets those of the same principal that have expired since.
-- scope: principal $1
WITH forgotten AS (
    DELETE FROM revoked_token WHERE principal_id = $1 AND expires_at < now() - interval '1 minute'
)
INSERT INTO revoked_token (principal_id, fingerprint, expires_at)
VALUES ($1, $2, to_timestamp($3::bigint))
ON CONFLICT (principal_id, fingerprint) DO NOTHING;
