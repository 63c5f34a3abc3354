-- Keeps the keys that were fetched, unless somebody had them forgotten meanwhile. Says whether they are others than before.
-- scope: organization $1
UPDATE identity_provider p SET keys = $4::jsonb, keys_fetched_at = now(), keys_failures = 0, keys_error = NULL,
    keys_due_at = now() + $5::bigint * interval '1 second'
FROM organization o, identity_provider before
WHERE o.id = $1 AND p.federation_id = o.federation_id AND p.id = $2 AND p.keys_epoch = $3::bigint AND before.id = p.id
RETURNING before.keys IS DISTINCT FROM p.keys OR before.keys_fetched_at IS NULL OR before.keys_fetched_at < now() - interval '12 hours'
