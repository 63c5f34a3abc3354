-- Ends one token before its time, and forgets those of the same principal that have expired since.
-- scope: principal :principal
WITH forgotten AS (
    DELETE FROM revoked_token WHERE principal_id = :principal AND expires_at < now() - interval '1 minute'
)
INSERT INTO revoked_token (principal_id, fingerprint, expires_at)
VALUES (:principal, :fingerprint, to_timestamp(:expires_at_s::bigint))
ON CONFLICT (principal_id, fingerprint) DO NOTHING;
