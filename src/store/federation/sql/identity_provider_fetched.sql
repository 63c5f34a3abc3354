-- Keeps the keys that were fetched, and where its pages are, unless somebody had them forgotten meanwhile. Says whether they are others than before.
-- scope: organization :organization
UPDATE identity_provider p SET keys = :keys::jsonb, pages = :pages::jsonb, keys_fetched_at = now(), keys_failures = 0, keys_error = NULL,
    keys_due_at = now() + :again_after_s::bigint * interval '1 second'
FROM organization o, identity_provider before
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider AND p.keys_epoch = :epoch::bigint AND before.id = p.id
RETURNING before.keys IS DISTINCT FROM p.keys OR before.keys_fetched_at IS NULL OR before.keys_fetched_at < now() - interval '12 hours' AS is_news
