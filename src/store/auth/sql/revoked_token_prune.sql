-- Deletes some records of revoked tokens that have expired by themselves, oldest first.
-- scope: none, because the service sweeps by age; row-level security shows it no others
DELETE FROM revoked_token WHERE (principal_id, fingerprint) IN (
    SELECT principal_id, fingerprint FROM revoked_token WHERE expires_at < now() ORDER BY expires_at LIMIT :limit::bigint)
