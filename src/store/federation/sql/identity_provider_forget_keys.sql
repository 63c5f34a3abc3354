-- Forgets the public keys of an identity provider: sessions that began with it end, what is being fetched now is not stored any more, and a worker fetches anew.
-- The clock is asked, because the transaction may have waited for the lock since it began.
-- scope: organization :organization
UPDATE identity_provider p SET keys = NULL, keys_fetched_at = NULL, keys_due_at = now(), keys_failures = 0, keys_error = NULL,
    keys_epoch = p.keys_epoch + 1, sessions_from = clock_timestamp()
FROM organization o
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider
